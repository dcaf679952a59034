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
        let schemes: [(prefix: String, isSecure: Bool)] = [("https://", true), ("http://", false)]
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") }),
            let scheme = schemes.first(where: { text.lowercased().hasPrefix($0.prefix) })
        else { return nil }
        let authority = text.dropFirst(scheme.prefix.count).prefix { $0 != "/" && $0 != "?" }
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[end...].dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
            guard !host.isEmpty, host.allSatisfy({ $0.isLetter || $0.isNumber || "-._".contains($0) }) else {
                return nil
            }
        }
        if rest.isEmpty {
            port = scheme.isSecure ? 443 : 80
        } else {
            let digits = rest.dropFirst()
            guard rest.first == ":", digits.allSatisfy(\.isNumber), let number = Int(digits), 1...65_535 ~= number
            else { return nil }
            port = number
        }
        isSecure = scheme.isSecure
        self.host = host.lowercased()
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
