import COrchardBuild

/// What this build is, as `--version` and `build_info` show it.
public enum Build {
    /// Semantic version of all programs.
    public static let version = "0.1.0"
    /// The commit that it was built from, with `+` where the checkout had changes; `unknown` outside a checkout.
    public static var commit: String { orchard_build_commit().map { String(cString: $0) } ?? "unknown" }
}

/// A C library that the process runs with.
public struct LinkedLibrary: Hashable, Sendable {
    public let name: String
    public let version: String

    /// - Parameters:
    ///   - name: as its project writes it, `OpenSSL`.
    ///   - version: of the library that was loaded, which may be newer than the headers.
    public init(_ name: String, _ version: String) {
        self.name = name
        self.version = version
    }
}
