// swift-tools-version:6.0
import PackageDescription

// An app's side of Orchard, to be copied: docs/client-ios.md explains it. On Linux it is compiled against a stub of PassKit.
// `Tests/ClientIOS/run` tests it and has it pay an order of running services.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableUpcomingFeature("MemberImportVisibility")]
let package = Package(
    name: "client-ios",
    platforms: [.iOS("16.4"), .macOS("13.3")],
    targets: [
        .target(name: "PassKitStub", swiftSettings: settings),
        .target(name: "OrchardClient", dependencies: ["PassKitStub"], swiftSettings: settings),
        .executableTarget(name: "PayOrder", dependencies: ["OrchardClient", "PassKitStub"], swiftSettings: settings),
        .testTarget(
            name: "OrchardClientTests", dependencies: ["OrchardClient", "PassKitStub"], swiftSettings: settings),
    ]
)
