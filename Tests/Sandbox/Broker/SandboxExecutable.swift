import Foundation

/// Finds the `sandbox` program that was built together with this one.
public enum SandboxExecutable {
    /// - Throws: ``BrokerError`` naming the folders that were searched.
    public static func find(name: String = "sandbox") throws(BrokerError) -> URL {
        // The toolchain's runner loads a test bundle and gets its path as an argument.
        let places = ["/proc/self/exe"] + CommandLine.arguments.filter { $0.contains(".xctest") }
        let folders = places.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent() }
        for folder in folders {
            let candidate = folder.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        }
        throw BrokerError(
            "\(name) is not beside this program (\(folders.map(\.path).joined(separator: ", "))): run `swift build` first"
        )
    }
}
