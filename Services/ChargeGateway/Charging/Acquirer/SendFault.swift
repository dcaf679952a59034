/// Why no send of an account can succeed now: what opens its circuit breaker.
///
/// A time-out is none: the request may have arrived.
public enum SendFault: String, Hashable, Sendable, CaseIterable {
    /// No connection: refused, or the host's name is not known.
    case unreachable
    /// The TLS handshake failed, or the acquirer's certificate is not trusted.
    case tls
    /// The acquirer refuses our signature (UnionPay respCode 11): each send would decline a customer for nothing.
    case signatureRefused
}
