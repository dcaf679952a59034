/// The wrong tokens that the wallet can mint; each differs from a correct one as its name says.
public enum MintingFault: String, CaseIterable, Sendable {
    case simulatorToken, duplicateKey, unknownVersion
    case foreignRoot, missingIntermediate, leafWithoutMarker, intermediateWithoutMarker, expiredLeaf
    case signerIsIntermediate, twoSigners
    case forgedSignature, wrongDigest, alteredData, alteredTransactionID, alteredApplicationData
    case addedApplicationData, embeddedContent
    case noSigningTime, signedTooEarly, signedTooLate
    case unknownMerchantKey
    case wrongContentKey, alteredTag, noTag
    case payloadNotJSON, payloadWithoutAmount

    /// The step of verification that must refuse it, in the order parse, version, chain, signer, signature, time, key,
    /// decrypt, payload.
    public var stage: String {
        switch self {
        case .simulatorToken, .duplicateKey: "parse"
        case .unknownVersion: "version"
        case .foreignRoot, .missingIntermediate, .leafWithoutMarker, .intermediateWithoutMarker, .expiredLeaf: "chain"
        case .signerIsIntermediate, .twoSigners: "signer"
        case .forgedSignature, .wrongDigest, .alteredData, .alteredTransactionID, .alteredApplicationData: "signature"
        case .addedApplicationData, .embeddedContent: "signature"
        case .noSigningTime, .signedTooEarly, .signedTooLate: "time"
        case .unknownMerchantKey: "key"
        case .wrongContentKey, .alteredTag, .noTag: "decrypt"
        case .payloadNotJSON, .payloadWithoutAmount: "payload"
        }
    }
}
