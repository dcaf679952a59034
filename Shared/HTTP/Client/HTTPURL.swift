import OrchardHTTPTypes

/// The parts of an absolute `http` or `https` URL that decide where a request goes (RFC 3986 §3).
public struct HTTPURL: Hashable, Sendable {
    public let isSecure: Bool
    /// Name or address, in lower case, an IPv6 address without its brackets.
    public let host: String
    /// The port, 80 or 443 when the URL names none.
    public let port: Int

    /// Parses a URL strictly; nil for any other scheme, a user or password, a fragment, blanks or controls, characters
    /// beyond ASCII, and a host or port that is none.
    public init?(_ text: String) {
        // Bytes: each request's URL is read, and characters cost a hundred times as much.
        let bytes = text.utf8
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        switch String(text[..<colon]) {
        case let scheme where scheme.equalsIgnoringCase("https"): isSecure = true
        case let scheme where scheme.equalsIgnoringCase("http"): isSecure = false
        default: return nil
        }
        guard bytes[colon...].starts(with: "://".utf8) else { return nil }
        let authority = bytes[colon...].dropFirst(3).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let host: Substring.UTF8View
        let rest: Substring.UTF8View
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard host.contains(UInt8(ascii: ":")), host.allSatisfy(Self.isInAddress) else { return nil }
        } else {
            host = authority.prefix { $0 != UInt8(ascii: ":") }
            rest = authority[host.endIndex...]
            guard !host.isEmpty, host.allSatisfy(Self.isInName) else { return nil }
        }
        if rest.isEmpty {
            port = isSecure ? 443 : 80
        } else {
            let digits = rest.dropFirst()
            guard rest.first == UInt8(ascii: ":"), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
                let number = Int(Substring(digits)), 1...65_535 ~= number
            else { return nil }
            port = number
        }
        self.host = Substring(host).lowercased()
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: 0x30...0x39 ~= byte || "-._".utf8.contains(byte)
        }
    }

    /// Of an IPv6 address.
    private static func isInAddress(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: 0x30...0x39 ~= byte || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
        }
    }

    /// Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { 1...3 ~= $0.count && $0.allSatisfy(\.isNumber) && Int($0) ?? 256 < 256 }
    }
}

/// Which URLs may be called.
public enum HTTPURLPolicy: Hashable, Sendable {
    /// `https` everywhere, `http` only to this machine: for acquirers and everything that carries card data.
    case httpsUnlessLoopback
    /// `http` as well, for what a private network protects.
    case any

    /// Checks a URL, at start as well as before each request.
    ///
    /// - Throws: an ``HTTPFailure`` that says what is wrong with it.
    @discardableResult
    public func check(_ text: String) throws(HTTPFailure) -> HTTPURL {
        guard let url = HTTPURL(text) else {
            throw HTTPFailure(
                .invalidRequest, "not an absolute http or https URL without user, password, fragment and blanks")
        }
        guard url.isSecure || self == .any || url.isLoopback else {
            throw HTTPFailure(.invalidRequest, "plain http is allowed only to this machine: use https for \(url.host)")
        }
        return url
    }
}
