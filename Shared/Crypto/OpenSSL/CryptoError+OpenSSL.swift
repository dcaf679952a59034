import COrchardOpenSSL

extension CryptoError {
    /// An error with OpenSSL's own reason; empties the thread's error queue.
    static func openSSL(_ code: Code, _ reason: String, file: String = #fileID, line: Int = #line) -> CryptoError {
        var reason = reason
        // The reason is a static string of the library. The data beside it could quote input and is left out.
        if let words = ERR_reason_error_string(ERR_peek_last_error()) { reason += ": " + String(cString: words) }
        ERR_clear_error()
        return CryptoError(code, reason, file: file, line: line)
    }
}
