/// A certificate that somebody must renew in time.
public struct CertificateExpiry: Hashable, Sendable {
    /// Whose it is.
    public let merchant: String
    /// Its file, as `merchants.json` names it.
    public let file: String
    /// Its last second, since 1970.
    public let notAfter: Int64

    public init(merchant: String, file: String, notAfter: Int64) {
        self.merchant = merchant
        self.file = file
        self.notAfter = notAfter
    }
}
