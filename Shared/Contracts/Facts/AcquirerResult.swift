import OrchardJSON

/// The result of an operation in a verified answer of the acquirer.
public struct AcquirerResult: Hashable, Sendable {
    public let reference: AcquirerReference
    /// The acquirer's own code (UnionPay `respCode` or `origRespCode`).
    public let code: String
    /// The acquirer's number for it (UnionPay `queryId`), which its settlement files name too.
    public let serial: String?
    /// The acquirer's settlement date (UnionPay `settleDate`, MMDD).
    public let settlementDate: String?
    /// What a person must look at although money moved, such as a defect that the acquirer names (UnionPay A6).
    public let remark: String?

    public init(
        reference: AcquirerReference, code: String, serial: String? = nil, settlementDate: String? = nil,
        remark: String? = nil
    ) {
        self.reference = reference
        self.code = code
        self.serial = serial
        self.settlementDate = settlementDate
        self.remark = remark
    }

    /// The same with another remark.
    public func remarked(_ remark: String?) -> AcquirerResult {
        AcquirerResult(
            reference: reference, code: code, serial: serial, settlementDate: settlementDate, remark: remark)
    }
}

extension AcquirerResult: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (reference, code, serial): (AcquirerReference?, String?, String?)
        var (settlementDate, remark): (String?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "code": code = try reader.string(upTo: 64)
            case "reference": reference = try AcquirerReference(json: &reader)
            case "remark": remark = try reader.string(upTo: 200)
            case "serial": serial = try reader.string(upTo: 64)
            case "settlementDate": settlementDate = try reader.string(upTo: 8)
            default: try reader.skip()
            }
        }
        self.init(
            reference: try reader.required(reference, "reference"), code: try reader.required(code, "code"),
            serial: serial, settlementDate: settlementDate, remark: remark)
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("code", code)
        object.object("reference") { reference.write(to: &$0) }
        object.member("remark", remark)
        object.member("serial", serial)
        object.member("settlementDate", settlementDate)
    }
}
