import CCurl

/// Why no answer came.
public struct HTTPFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What failed. It does not say whether the request was sent: ``HTTPOutcome`` does.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// A stable name for logs and metrics.
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The URL or a field is not one this client sends.
        public static let invalidRequest = Self(rawValue: "invalid-request")
        /// Every address of the host is one that the configuration forbids.
        public static let addressRefused = Self(rawValue: "address-refused")
        public static let nameResolution = Self(rawValue: "name-resolution")
        public static let connect = Self(rawValue: "connect")
        /// Handshake, certificate, name, or a key file.
        public static let tls = Self(rawValue: "tls")
        public static let timeout = Self(rawValue: "timeout")
        /// The connection ended before the whole answer.
        public static let connectionLost = Self(rawValue: "connection-lost")
        /// A connection ended after the request was sent on it, and the silent second send was forbidden.
        public static let resendRefused = Self(rawValue: "resend-refused")
        /// Unrequested input waited on the connection, twice.
        public static let strayInput = Self(rawValue: "stray-input")
        /// What came is no HTTP/1.1 answer.
        public static let malformedAnswer = Self(rawValue: "malformed-answer")
        public static let answerTooLarge = Self(rawValue: "answer-too-large")
        /// The calling task was cancelled.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The client's service has ended or is ending.
        public static let stopped = Self(rawValue: "stopped")
        public static let other = Self(rawValue: "other")
    }

    public let code: Code
    /// For the log; without anything of the request's or answer's content.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}

extension HTTPFailure.Code {
    /// The meaning of a CURLcode. It is the last error, and does not say whether the request was sent.
    init(curlCode: Int32) {
        switch CURLcode(UInt32(bitPattern: curlCode)) {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .nameResolution
        case CURLE_COULDNT_CONNECT: self = .connect
        case CURLE_OPERATION_TIMEDOUT: self = .timeout
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_PEER_FAILED_VERIFICATION,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_SHUTDOWN_FAILED:
            self = .tls
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: self = .connectionLost
        case CURLE_URL_MALFORMAT: self = .invalidRequest
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self = .malformedAnswer
        default: self = .other
        }
    }
}
