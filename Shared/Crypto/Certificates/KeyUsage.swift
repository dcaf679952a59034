/// What a certificate's key may do (RFC 5280 section 4.2.1.3), in OpenSSL's numbering.
public struct KeyUsage: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let digitalSignature = KeyUsage(rawValue: 0x80)
    public static let keyEncipherment = KeyUsage(rawValue: 0x20)
    public static let keyAgreement = KeyUsage(rawValue: 0x08)
    public static let keyCertSign = KeyUsage(rawValue: 0x04)
}
