// swift-tools-version:6.0
import PackageDescription

// No outside Swift package on purpose: the toolchain's modules and Debian's C libraries through thin bridges (docs/adr/0001).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ path: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "orchard",
    products: [
        .executable(name: "token-ingest", targets: ["TokenIngest"]),
        .executable(name: "charge-gateway", targets: ["ChargeGateway"]),
        .executable(name: "order-ledger", targets: ["OrderLedger"]),
        .executable(name: "sandbox", targets: ["Sandbox"]),
        .library(name: "ApplePayToken", targets: ["ApplePayToken"]),
        .library(name: "KafkaBridge", targets: ["KafkaBridge"]),
    ],
    targets: [
        // C bridges: module maps and thin shims, nothing else.
        .systemLibrary(
            name: "CRDKafka", path: "Shared/CRDKafka", pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(
            name: "CLibpq", path: "Shared/CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "COpenSSL", path: "Shared/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Shared/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CEpoll", path: "Shared/CEpoll"),
        .systemLibrary(
            name: "CRDKafkaMock", path: "Tests/Sandbox/CRDKafkaMock", pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]),

        .systemLibrary(name: "CLinux", path: "Shared/CLinux"),

        // Shared: pure libraries.
        library("JSON", "Shared/JSON"),
        library("Crypto", "Shared/Crypto", ["COpenSSL"]),
        library("JOSE", "Shared/JOSE", ["JSON", "Crypto"]),
        library("Contracts", "Shared/Contracts", ["JSON", "Crypto", "JOSE"]),

        // Shared: the outside world.
        library("ServiceKit", "Shared/ServiceKit", ["CLinux"]),
        library("KafkaBridge", "Shared/KafkaBridge", ["CRDKafka", "ServiceKit"]),
        library("Postgres", "Shared/Postgres", ["CLibpq", "ServiceKit"]),
        library("HTTPTypes", "Shared/HTTP/Types", ["JSON"]),
        library("HTTPServer", "Shared/HTTP/Server", ["HTTPTypes", "ServiceKit", "CEpoll"]),
        library("HTTPClient", "Shared/HTTP/Client", ["HTTPTypes", "ServiceKit", "CCurl"]),
        library("HTTPAdmin", "Shared/HTTP/Admin", ["HTTPTypes", "HTTPServer", "ServiceKit"]),
        library("KeyFiles", "Shared/KeyFiles", ["JOSE", "Crypto", "ServiceKit"]),
        library("Outbox", "Shared/Outbox", ["KafkaBridge", "Postgres", "Contracts", "ServiceKit"]),

        // Services.
        library("ApplePayToken", "Services/TokenIngest/ApplePayToken", ["JSON", "Crypto"]),
        program(
            "TokenIngest", "Services/TokenIngest/App",
            [
                "ApplePayToken", "JSON", "Crypto", "JOSE", "Contracts", "ServiceKit", "KafkaBridge", "HTTPTypes",
                "HTTPServer", "HTTPAdmin", "KeyFiles",
            ]),
        library("Charging", "Services/ChargeGateway/Charging", ["Contracts"]),
        library(
            "Acquirers", "Services/ChargeGateway/Acquirers",
            ["Charging", "Contracts", "HTTPTypes", "HTTPClient", "Crypto", "ServiceKit"]),
        program(
            "ChargeGateway", "Services/ChargeGateway/App",
            [
                "Charging", "Acquirers", "JSON", "Crypto", "JOSE", "Contracts", "ServiceKit", "KafkaBridge",
                "Postgres", "Outbox", "HTTPTypes", "HTTPServer", "HTTPClient", "HTTPAdmin", "KeyFiles",
            ]),
        library("Ledger", "Services/OrderLedger/Ledger", ["Contracts", "JSON", "Crypto"]),
        program(
            "OrderLedger", "Services/OrderLedger/App",
            [
                "Ledger", "JSON", "Crypto", "JOSE", "Contracts", "ServiceKit", "KafkaBridge", "Postgres", "Outbox",
                "HTTPTypes", "HTTPServer", "HTTPAdmin", "KeyFiles",
            ]),

        // Sandbox: everything that production must not contain. Imports Shared only.
        library("SandboxBroker", "Tests/Sandbox/Broker", ["CRDKafkaMock", "CRDKafka", "ServiceKit"]),
        library("SandboxPKI", "Tests/Sandbox/PKI", ["COpenSSL"]),
        library("SandboxWallet", "Tests/Sandbox/Wallet", ["SandboxPKI"]),
        library(
            "SandboxAcquirer", "Tests/Sandbox/Acquirer",
            ["SandboxPKI", "JSON", "ServiceKit", "HTTPTypes", "HTTPServer", "HTTPClient"]),
        library("SandboxDatabase", "Tests/Sandbox/Database", ["Postgres", "ServiceKit"]),
        library(
            "SandboxDemo", "Tests/Sandbox/Demo",
            [
                "SandboxBroker", "SandboxDatabase", "SandboxWallet", "SandboxAcquirer", "JSON", "Crypto", "JOSE",
                "Contracts", "ServiceKit", "KafkaBridge", "Postgres", "HTTPTypes", "HTTPClient",
            ]),
        program(
            "Sandbox", "Tests/Sandbox/App",
            [
                "SandboxDemo",
                "SandboxBroker", "SandboxDatabase", "SandboxPKI", "SandboxWallet", "SandboxAcquirer", "JSON", "Crypto",
                "JOSE", "Contracts", "ServiceKit", "KafkaBridge", "Postgres", "HTTPTypes", "HTTPServer", "HTTPClient",
            ]),

        // Tests mirror the sources; those with servers run under Tests/Servers/run.
        library("TestSupport", "Tests/Support", ["Postgres", "ServiceKit", "SandboxBroker"]),
        tests("JSONTests", ["JSON"]),
        tests("CryptoTests", ["Crypto"]),
        tests("JOSETests", ["JOSE", "JSON", "Crypto", "TestSupport"]),
        tests("KeyFilesTests", ["KeyFiles", "JOSE", "Crypto", "ServiceKit"]),
        tests("ContractsTests", ["Contracts", "JOSE", "JSON", "Crypto"]),
        tests("ServiceKitTests", ["ServiceKit", "TestSupport"]),
        tests("KafkaBridgeTests", ["KafkaBridge", "ServiceKit", "SandboxBroker", "TestSupport"]),
        tests("PostgresTests", ["Postgres", "ServiceKit", "TestSupport", "SandboxDatabase"]),
        tests("HTTPServerTests", ["HTTPTypes", "JSON", "HTTPServer", "HTTPAdmin", "ServiceKit", "TestSupport"]),
        tests("HTTPClientTests", ["HTTPTypes", "HTTPClient", "HTTPServer", "ServiceKit", "TestSupport"]),
        tests(
            "OutboxTests",
            ["Outbox", "KafkaBridge", "Postgres", "Contracts", "ServiceKit", "TestSupport", "SandboxBroker"]),
        tests("ApplePayTokenTests", ["ApplePayToken", "SandboxWallet", "SandboxPKI", "JSON", "Crypto", "TestSupport"]),
        tests(
            "TokenIngestTests",
            [
                "TokenIngest", "ApplePayToken", "SandboxPKI", "SandboxWallet", "Contracts", "JSON", "JOSE", "Crypto",
                "HTTPTypes", "HTTPServer", "HTTPClient", "KafkaBridge", "KeyFiles", "SandboxBroker", "ServiceKit",
                "TestSupport",
            ]),
        tests("ChargingTests", ["Charging", "Contracts"]),
        tests(
            "AcquirersTests",
            [
                "Acquirers", "Charging", "SandboxAcquirer", "SandboxPKI", "Contracts", "Crypto", "JSON", "HTTPTypes",
                "HTTPClient", "HTTPServer", "ServiceKit", "TestSupport",
            ]),
        tests(
            "ChargeGatewayTests",
            [
                "ChargeGateway", "Charging", "Acquirers", "Postgres", "Outbox", "KafkaBridge", "Contracts", "Crypto",
                "JOSE", "JSON", "HTTPTypes", "HTTPServer", "HTTPClient", "ServiceKit", "SandboxAcquirer",
                "SandboxBroker", "SandboxPKI", "KeyFiles", "TestSupport",
            ]),
        .target(
            name: "LedgerFixtures", dependencies: ["Ledger", "Contracts", "Crypto", "JSON"],
            path: "Tests/LedgerFixtures", swiftSettings: settings),
        tests("LedgerTests", ["Ledger", "LedgerFixtures", "Contracts", "JSON", "Crypto"]),
        tests(
            "OrderLedgerTests",
            [
                "OrderLedger", "Ledger", "LedgerFixtures", "Postgres", "Outbox", "KafkaBridge", "Contracts", "Crypto",
                "JOSE", "JSON", "KeyFiles", "HTTPServer", "HTTPClient", "HTTPTypes", "ServiceKit", "TestSupport",
            ]),
        tests(
            "SandboxTests",
            [
                "Sandbox", "SandboxDemo", "Contracts", "SandboxPKI", "SandboxWallet", "SandboxAcquirer",
                "SandboxBroker", "JSON", "HTTPServer", "HTTPClient", "HTTPTypes", "Postgres", "ServiceKit",
                "TestSupport",
            ]),
        // What README and docs/ show, run and compared.
        tests(
            "DocumentationTests",
            ["Contracts", "JSON", "Postgres", "SandboxBroker", "SandboxDemo", "ServiceKit", "TestSupport"]),
    ]
)
