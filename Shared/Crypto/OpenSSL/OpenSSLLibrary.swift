import COrchardOpenSSL

/// The OpenSSL that this process runs with.
public enum OpenSSLLibrary {
    /// Its version, `3.0.17`.
    public static var version: String {
        OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) } ?? "unknown"
    }
}
