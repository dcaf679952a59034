// swift-tools-version:6.0
import PackageDescription

// Somebody else's package: it uses the library ApplePayToken beside modules of the names that swift-crypto,
// swift-http-types and many JSON packages have. `Tests/LibraryUse/run` builds it and has it read a token.
let package = Package(
    name: "library-use",
    dependencies: [.package(name: "orchard", path: "../..")],
    targets: [
        .target(name: "Crypto"),
        .target(name: "HTTPTypes"),
        .target(name: "JSON"),
        .executableTarget(
            name: "ReadToken",
            dependencies: [
                "Crypto", "HTTPTypes", "JSON", .product(name: "ApplePayToken", package: "orchard"),
                .product(name: "OrchardCrypto", package: "orchard"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]),
    ]
)
