/// What an acquirer's answer, once verified, says of an operation.
public struct AcquirerResult: Hashable, Sendable {
    public let reference: AcquirerReference
    /// The acquirer's own code (UnionPay `respCode` or `origRespCode`).
    public let code: String
    /// The acquirer's number for it (UnionPay `queryId`), which its settlement files name too.
    public let serial: String?
    /// The acquirer's settlement date (UnionPay `settleDate`, MMDD).
    public let settlementDate: String?

    public init(reference: AcquirerReference, code: String, serial: String? = nil, settlementDate: String? = nil) {
        self.reference = reference
        self.code = code
        self.serial = serial
        self.settlementDate = settlementDate
    }
}
