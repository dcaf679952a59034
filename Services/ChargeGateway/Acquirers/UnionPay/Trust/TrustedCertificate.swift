import OrchardCrypto

/// A certificate of UnionPay's that was verified, and the seconds since 1970 in which that verification holds.
struct TrustedCertificate: Sendable {
    let key: RSAPublicKey
    let validity: ClosedRange<Int64>
}
