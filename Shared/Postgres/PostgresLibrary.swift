import CLibpq

/// The libpq that this process runs with.
public enum PostgresLibrary {
    /// Its version, `15.18`.
    public static var version: String {
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
