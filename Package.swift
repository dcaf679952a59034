// swift-tools-version:6.0
import PackageDescription

// No outside Swift package on purpose: the toolchain's modules and Debian's C libraries through thin bridges (docs/adr/0001).

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func library(
    _ name: String, _ path: String, _ dependencies: [Target.Dependency] = [], embedding files: String? = nil
) -> Target {
    .target(
        name: name, dependencies: dependencies, path: path,
        resources: files.map { [.embedInCode($0)] }, swiftSettings: settings)
}

func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies + ["COrchardAllocator"], path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], excluding files: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: files, swiftSettings: settings)
}

/// What `--version` tells beside the version. Only one small C file is compiled again when it changes.
let commit =
    Context.gitInformation.map { $0.currentCommit.prefix(12) + ($0.hasUncommittedChanges ? "+" : "") } ?? "unknown"

let package = Package(
    name: "orchard",
    products: [
        .executable(name: "token-ingest", targets: ["TokenIngest"]),
        .executable(name: "charge-gateway", targets: ["ChargeGateway"]),
        .executable(name: "order-ledger", targets: ["OrderLedger"]),
        .executable(name: "sandbox", targets: ["Sandbox"]),
        .executable(name: "orchard-bench", targets: ["OrchardBench"]),
        // The libraries for others, and those whose types stand in their public signatures.
        .library(name: "ApplePayToken", targets: ["ApplePayToken"]),
        .library(name: "KafkaBridge", targets: ["KafkaBridge"]),
        .library(name: "OrchardCrypto", targets: ["OrchardCrypto"]),
        .library(name: "OrchardJSON", targets: ["OrchardJSON"]),
        .library(name: "OrchardServiceKit", targets: ["OrchardServiceKit"]),
        // For those who write a connector to another acquirer.
        .library(name: "Acquirers", targets: ["Acquirers"]),
        .library(name: "AcquirerConformance", targets: ["AcquirerConformance"]),
    ],
    targets: [
        // C bridges: module maps and thin shims, nothing else.
        .systemLibrary(
            name: "CRDKafka", path: "Shared/CRDKafka", pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(
            name: "CLibpq", path: "Shared/CLibpq", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "COrchardOpenSSL", path: "Shared/COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "COrchardTLS", path: "Shared/CTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", path: "Shared/CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CZlib", path: "Shared/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CZstd", path: "Shared/CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CEpoll", path: "Shared/CEpoll"),
        .systemLibrary(
            name: "CRDKafkaMock", path: "Tests/Sandbox/CRDKafkaMock", pkgConfig: "rdkafka",
            providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CProcesses", path: "Tests/Sandbox/CProcesses"),

        .systemLibrary(name: "COrchardLinux", path: "Shared/CLinux"),
        .target(
            name: "COrchardBuild", path: "Shared/CBuild",
            cSettings: [.define("ORCHARD_COMMIT", to: "\"\(commit)\"")]),
        // Takes the place of malloc(3) in the programs.
        .target(
            name: "COrchardAllocator", path: "Shared/CAllocator", linkerSettings: [.linkedLibrary("jemalloc")]),

        // Shared: pure libraries.
        library("OrchardJSON", "Shared/JSON"),
        library("OrchardCrypto", "Shared/Crypto", ["COrchardOpenSSL"]),
        library("OrchardCompression", "Shared/Compression", ["CZlib", "CZstd"]),
        library("OrchardJOSE", "Shared/JOSE", ["OrchardJSON", "OrchardCrypto"]),
        library("Contracts", "Shared/Contracts", ["OrchardJSON", "OrchardCrypto", "OrchardJOSE"]),

        // Shared: the outside world.
        library("OrchardServiceKit", "Shared/ServiceKit", ["OrchardJSON", "COrchardLinux", "COrchardBuild"]),
        library("KafkaBridge", "Shared/KafkaBridge", ["CRDKafka", "OrchardJSON", "OrchardServiceKit"]),
        library("OrchardPostgres", "Shared/Postgres", ["CLibpq", "CEpoll", "OrchardJSON", "OrchardServiceKit"]),
        library("OrchardHTTPTypes", "Shared/HTTP/Types", ["OrchardJSON"]),
        library(
            "OrchardHTTPServer", "Shared/HTTP/Server",
            ["OrchardHTTPTypes", "OrchardJSON", "OrchardServiceKit", "CEpoll", "COrchardTLS"]),
        library(
            "OrchardHTTPClient", "Shared/HTTP/Client",
            ["OrchardHTTPTypes", "OrchardCrypto", "OrchardJSON", "OrchardServiceKit", "CCurl", "CEpoll"]),
        library(
            "OrchardHTTPAdmin", "Shared/HTTP/Admin",
            ["OrchardHTTPTypes", "OrchardHTTPServer", "OrchardHTTPClient", "OrchardServiceKit"]),
        library("KeyFiles", "Shared/KeyFiles", ["Contracts", "OrchardJOSE", "OrchardCrypto", "OrchardServiceKit"]),
        library(
            "Outbox", "Shared/Outbox",
            ["KafkaBridge", "OrchardPostgres", "Contracts", "OrchardCrypto", "OrchardJSON", "OrchardServiceKit"]),

        // Services.
        library("ApplePayToken", "Services/TokenIngest/ApplePayToken", ["OrchardJSON", "OrchardCrypto"]),
        program(
            "TokenIngest", "Services/TokenIngest/App",
            [
                "ApplePayToken", "OrchardJSON", "OrchardCrypto", "OrchardJOSE", "Contracts", "OrchardServiceKit",
                "KafkaBridge", "OrchardHTTPTypes",
                "OrchardHTTPServer", "OrchardHTTPClient", "OrchardHTTPAdmin", "KeyFiles",
            ]),
        library("Charging", "Services/ChargeGateway/Charging", ["Contracts"]),
        library(
            "Acquirers", "Services/ChargeGateway/Acquirers",
            [
                "Charging", "Contracts", "OrchardHTTPTypes", "OrchardHTTPClient", "OrchardJSON", "OrchardCompression",
                "OrchardCrypto", "OrchardServiceKit", "KeyFiles",
            ]),
        program(
            "ChargeGateway", "Services/ChargeGateway/App",
            [
                "Charging", "Acquirers", "OrchardJSON", "OrchardCrypto", "OrchardJOSE", "Contracts",
                "OrchardServiceKit", "KafkaBridge",
                "OrchardPostgres", "Outbox", "OrchardHTTPTypes", "OrchardHTTPServer", "OrchardHTTPClient",
                "OrchardHTTPAdmin", "KeyFiles",
            ]),
        library(
            "Ledger", "Services/OrderLedger/Ledger",
            ["Contracts", "OrchardJSON", "OrchardCrypto", "OrchardCompression"]),
        program(
            "OrderLedger", "Services/OrderLedger/App",
            [
                "Ledger", "OrchardJSON", "OrchardCrypto", "OrchardJOSE", "Contracts", "OrchardServiceKit",
                "KafkaBridge", "OrchardPostgres", "Outbox",
                "OrchardHTTPTypes", "OrchardHTTPServer", "OrchardHTTPClient", "OrchardHTTPAdmin", "KeyFiles",
            ]),

        // Sandbox: everything that production must not contain. Imports Shared only.
        library("SandboxProcesses", "Tests/Sandbox/Processes", ["CProcesses", "OrchardServiceKit"]),
        library(
            "SandboxBroker", "Tests/Sandbox/Broker", ["CRDKafkaMock", "OrchardServiceKit", "SandboxProcesses"]),
        library("SandboxPKI", "Tests/Sandbox/PKI", ["COrchardOpenSSL"]),
        library("SandboxWallet", "Tests/Sandbox/Wallet", ["SandboxPKI"]),
        library(
            "SandboxSessions", "Tests/Sandbox/Sessions",
            ["COrchardTLS", "OrchardJSON", "OrchardServiceKit", "SandboxPKI", "SandboxWallet"]),
        library(
            "SandboxAcquirer", "Tests/Sandbox/Acquirer",
            [
                "SandboxPKI", "OrchardJSON", "OrchardServiceKit", "OrchardHTTPTypes", "OrchardHTTPServer",
                "OrchardHTTPClient", "CZlib",
            ]),
        library(
            "SandboxDatabase", "Tests/Sandbox/Database", ["OrchardPostgres", "OrchardServiceKit", "SandboxProcesses"]),
        library(
            "SandboxDemo", "Tests/Sandbox/Demo",
            [
                "SandboxBroker", "SandboxDatabase", "SandboxProcesses", "SandboxSessions", "SandboxWallet",
                "SandboxAcquirer",
                "OrchardJSON", "OrchardCrypto", "OrchardJOSE",
                "Contracts", "OrchardServiceKit", "KafkaBridge", "OrchardPostgres", "OrchardHTTPTypes",
                "OrchardHTTPClient", "OrchardHTTPServer", "OrchardCompression",
            ], embedding: "Storefront/Pages"),
        program(
            "Sandbox", "Tests/Sandbox/App",
            [
                "Contracts", "OrchardHTTPClient", "OrchardHTTPServer", "OrchardServiceKit", "SandboxAcquirer",
                "SandboxBroker", "SandboxDatabase", "SandboxDemo", "SandboxProcesses", "SandboxSessions",
                "SandboxWallet",
            ]),

        // How fast the parts are: `make bench`.
        .target(
            name: "CYardstick", dependencies: ["CRDKafka", "CLibpq", "COrchardOpenSSL"],
            path: "Tests/Benchmarks/CYardstick"),
        program(
            "OrchardBench", "Tests/Benchmarks/App",
            [
                "ApplePayToken", "CYardstick", "Contracts", "KafkaBridge", "OrchardCrypto", "OrchardHTTPServer",
                "OrchardHTTPTypes", "OrchardJOSE", "OrchardJSON", "OrchardPostgres", "OrchardServiceKit",
                "SandboxBroker", "SandboxDatabase", "SandboxDemo", "SandboxPKI", "SandboxProcesses", "SandboxWallet",
            ]),

        // The conformance suite for connectors, for those who write one.
        library("FaultyServer", "Tests/FaultyServer", ["OrchardServiceKit"]),
        library(
            "AcquirerConformance", "Tests/AcquirerConformance",
            [
                "Acquirers", "Charging", "Contracts", "FaultyServer", "OrchardHTTPClient", "OrchardHTTPTypes",
                "OrchardServiceKit",
            ]),

        // Tests mirror the sources; those with servers run under Tests/Servers/run.
        library(
            "TestSupport", "Tests/Support",
            [
                "CZlib", "OrchardHTTPTypes", "OrchardJSON", "OrchardPostgres", "OrchardServiceKit", "SandboxBroker",
                "SandboxProcesses",
            ]),
        tests("JSONTests", ["OrchardJSON", "TestSupport"]),
        tests("CompressionTests", ["OrchardCompression", "TestSupport"]),
        tests("CryptoTests", ["OrchardCrypto", "SandboxPKI"]),
        tests("JOSETests", ["OrchardJOSE", "OrchardJSON", "OrchardCrypto", "SandboxProcesses", "TestSupport"]),
        tests(
            "KeyFilesTests",
            [
                "Contracts", "KeyFiles", "OrchardJOSE", "OrchardCrypto", "OrchardServiceKit", "SandboxProcesses",
                "TestSupport",
            ]),
        tests("ContractsTests", ["Contracts", "OrchardJOSE", "OrchardJSON", "OrchardCrypto", "TestSupport"]),
        tests("ServiceKitTests", ["OrchardServiceKit", "COrchardAllocator", "TestSupport"]),
        tests(
            "KafkaBridgeTests",
            ["KafkaBridge", "OrchardServiceKit", "SandboxBroker", "SandboxProcesses", "TestSupport"]),
        tests(
            "PostgresTests",
            ["OrchardPostgres", "OrchardServiceKit", "TestSupport", "SandboxDatabase", "SandboxProcesses"]),
        tests(
            "HTTPServerTests",
            [
                "OrchardHTTPTypes", "OrchardJSON", "OrchardHTTPServer", "OrchardHTTPAdmin", "OrchardHTTPClient",
                "OrchardServiceKit", "SandboxProcesses", "TestSupport", "COrchardTLS",
            ]),
        tests(
            "HTTPClientTests",
            [
                "FaultyServer", "OrchardCrypto", "OrchardHTTPTypes", "OrchardHTTPClient", "OrchardHTTPServer",
                "OrchardServiceKit",
                "SandboxPKI", "SandboxProcesses", "SandboxSessions", "SandboxWallet", "TestSupport",
            ]),
        tests(
            "OutboxTests",
            [
                "Outbox", "KafkaBridge", "OrchardPostgres", "Contracts", "OrchardServiceKit", "TestSupport",
                "SandboxBroker",
            ]),
        tests(
            "ApplePayTokenTests",
            [
                "ApplePayToken", "SandboxWallet", "SandboxPKI", "OrchardJSON", "OrchardCrypto", "SandboxProcesses",
                "TestSupport",
            ]),
        tests(
            "TokenIngestTests",
            [
                "TokenIngest", "ApplePayToken", "SandboxPKI", "SandboxSessions", "SandboxWallet", "Contracts",
                "OrchardJSON",
                "OrchardJOSE", "OrchardCrypto",
                "OrchardHTTPAdmin", "OrchardHTTPTypes", "OrchardHTTPServer", "OrchardHTTPClient", "KafkaBridge",
                "KeyFiles",
                "SandboxBroker", "OrchardServiceKit",
                "SandboxProcesses", "TestSupport",
            ]),
        tests("ChargingTests", ["Charging", "Contracts"]),
        tests(
            "AcquirersTests",
            [
                "AcquirerConformance", "Acquirers", "Charging", "FaultyServer", "SandboxAcquirer", "SandboxPKI",
                "Contracts",
                "OrchardCrypto", "OrchardJSON",
                "OrchardHTTPTypes",
                "OrchardHTTPClient", "OrchardHTTPServer", "OrchardServiceKit", "SandboxProcesses", "TestSupport",
            ]),
        tests(
            "ChargeGatewayTests",
            [
                "ChargeGateway", "Charging", "Acquirers", "OrchardPostgres", "Outbox", "KafkaBridge", "Contracts",
                "OrchardCrypto",
                "OrchardJOSE", "OrchardJSON", "OrchardHTTPAdmin", "OrchardHTTPTypes", "OrchardHTTPServer",
                "OrchardServiceKit", "SandboxAcquirer",
                "SandboxBroker", "SandboxDatabase", "KeyFiles", "SandboxProcesses", "TestSupport",
            ]),
        .target(
            name: "LedgerFixtures", dependencies: ["Ledger", "Contracts", "OrchardCrypto", "OrchardJSON"],
            path: "Tests/LedgerFixtures", swiftSettings: settings),
        tests(
            "LedgerTests",
            [
                "Ledger", "LedgerFixtures", "Contracts", "OrchardJSON", "OrchardCrypto", "OrchardCompression",
                "TestSupport", "CZstd",
            ],
            excluding: ["Golden"]),
        tests(
            "OrderLedgerTests",
            [
                "OrderLedger", "Ledger", "LedgerFixtures", "OrchardPostgres", "Outbox", "KafkaBridge", "Contracts",
                "OrchardCrypto",
                "OrchardJOSE", "OrchardJSON", "KeyFiles", "OrchardHTTPAdmin", "OrchardHTTPServer", "OrchardHTTPClient",
                "OrchardHTTPTypes", "OrchardServiceKit", "SandboxBroker", "SandboxDatabase", "FaultyServer",
                "SandboxProcesses", "TestSupport",
            ]),
        tests(
            "SandboxTests",
            [
                "Sandbox", "SandboxDemo", "Contracts", "SandboxPKI", "SandboxSessions", "SandboxWallet",
                "SandboxAcquirer", "SandboxBroker", "KafkaBridge", "OrchardJSON", "OrchardHTTPServer",
                "OrchardHTTPClient", "OrchardHTTPTypes",
                "OrchardPostgres", "OrchardServiceKit",
                "SandboxProcesses", "TestSupport", "COrchardTLS",
            ]),
        // Several services together, as real processes.
        tests(
            "EndToEndTests",
            [
                "ChargeGateway", "OrderLedger", "Contracts", "KafkaBridge", "KeyFiles", "OrchardCrypto", "OrchardJOSE",
                "OrchardJSON", "OrchardPostgres", "OrchardServiceKit", "SandboxAcquirer", "SandboxBroker",
                "SandboxProcesses", "TestSupport",
            ]),
        // Rules of the house that a program can check.
        tests("TidyTests", ["TestSupport"]),
        // What README and docs/ show, run and compared.
        tests(
            "DocumentationTests",
            [
                "Contracts", "OrchardJSON", "OrchardPostgres", "Outbox", "SandboxBroker", "SandboxDemo",
                "OrchardServiceKit", "SandboxProcesses", "TestSupport",
            ]),
    ]
)
