import CCurl

/// The libcurl that this process runs with.
public enum CurlLibrary {
    /// Its version, `7.88.1`.
    public static var version: String {
        // `libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13`
        let text = curl_version().map { String(cString: $0) } ?? ""
        return text.split(separator: " ").first.map { String($0.drop { $0 != "/" }.dropFirst()) } ?? "unknown"
    }
}
