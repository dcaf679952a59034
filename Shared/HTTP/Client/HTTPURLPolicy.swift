/// Which URLs may be called.
public enum HTTPURLPolicy: Hashable, Sendable {
    /// `https` everywhere, `http` only to this machine: for acquirers and everything that carries card data.
    case httpsUnlessLoopback
    /// `http` as well, for what a private network protects.
    case any

    /// Checks a URL, at start as well as before each request.
    ///
    /// - Throws: an ``HTTPFailure`` that tells what is wrong with it.
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
