import Foundation
import SandboxPKI

extension Wallet {
    /// Mints a token with one thing wrong.
    public func mint(_ request: MintRequest, fault: MintingFault) throws -> MintedToken {
        var request = request
        if [.alteredApplicationData, .addedApplicationData].contains(fault) {
            request.applicationData = fault == .alteredApplicationData ? Array("order".utf8) : nil
        }
        var tampering = Tampering()
        try apply(fault, to: &tampering, of: request)
        return try mint(request, tampering: tampering)
    }

    private func apply(_ fault: MintingFault, to tampering: inout Tampering, of request: MintRequest) throws {
        switch fault {
        case .simulatorToken:
            tampering.token = { $0.paymentData = .init() }
        case .duplicateKey:
            tampering.text = { $0.insert(contentsOf: Array(#""transactionIdentifier":"","#.utf8), at: 1) }
        case .unknownVersion:
            tampering.token = { $0.paymentData.version = "EC_v2" }
        case .foreignRoot, .missingIntermediate, .leafWithoutMarker, .intermediateWithoutMarker, .expiredLeaf:
            tampering.signature = try chain(fault, request)
        case .signerIsIntermediate:
            let intermediate = intermediate
            tampering.signature = { $0.signers[0].identity = intermediate }
        case .twoSigners:
            tampering.signature = { $0.signers.append($0.signers[0]) }
        case .forgedSignature:
            let key = try PrivateKey(request.scheme == .ec ? .p256 : .rsa2048)
            tampering.signature = { $0.signers[0].key = key }
        case .wrongDigest:
            tampering.signature = { $0.signers[0].messageDigest = Digest.sha256.hash([]) }
        case .alteredData:
            tampering.token = { $0.paymentData.data = flipped($0.paymentData.data) }
        case .alteredTransactionID:
            let other = Hexadecimal.encode(Randomness.bytes(32))
            tampering.token = {
                $0.paymentData.header?.transactionId = other
                $0.transactionIdentifier = other
            }
        case .alteredApplicationData, .addedApplicationData:
            let other = Hexadecimal.encode(Digest.sha256.hash(Array("another order".utf8)))
            tampering.token = { $0.paymentData.header?.applicationData = other }
        case .embeddedContent:
            tampering.signature = { $0.isContentEmbedded = true }
        case .noSigningTime, .signedTooEarly, .signedTooLate:
            let moment: Int64? =
                fault == .noSigningTime ? nil : request.signedAt + (fault == .signedTooEarly ? -301 : 301)
            tampering.signature = { $0.signers[0].signedAt = moment }
        case .unknownMerchantKey:
            let other = Data(Randomness.bytes(32)).base64EncodedString()
            tampering.header = { $0.publicKeyHash = other }
        case .wrongContentKey:
            tampering.contentKey = { $0[0] ^= 1 }
        case .alteredTag:
            tampering.ciphertext = { $0[$0.count - 1] ^= 1 }
        case .noTag:
            tampering.ciphertext = { $0.removeLast($0.count - 15) }
        case .payloadNotJSON:
            tampering.payload = { $0.removeLast() }
        case .payloadWithoutAmount:
            tampering.payload = {
                let text = String(decoding: $0, as: UTF8.self)
                $0 = Array(text.replacing("transactionAmount", with: "transactionAmounts").utf8)
            }
        }
    }

    /// A leaf or intermediate made differently; everything else is correct.
    private func chain(
        _ fault: MintingFault, _ request: MintRequest
    ) throws(PKIError) -> @Sendable (inout SignatureDraft) -> Void {
        let kind: PrivateKey.Kind = request.scheme == .ec ? .p256 : .rsa2048
        let now = request.signedAt
        func authority(_ issuer: Identity, _ markers: [String]) throws(PKIError) -> Identity {
            try Self.issue("Sandbox Application Integration CA - G3", .p256, issuer, now, from: 1400, to: 3650) {
                $0.isAuthority = true
                $0.usage = [.certificateSigning]
                $0.extensions = markers.map { ($0, DER.null) }
            }
        }
        func signer(_ issuer: Identity, _ markers: [String], until: Int64 = 800) throws(PKIError) -> Identity {
            try Self.issue("smp-broker-sign_UC4-SANDBOX", kind, issuer, now, from: 1000, to: until) {
                $0.usage = [.digitalSignature]
                $0.extensions = markers.map { ($0, DER.null) }
            }
        }
        let issuer: Identity
        let leaf: Identity
        switch fault {
        case .foreignRoot:
            let root = try Self.issue("Sandbox Root CA - G3", .p384, nil, now, from: 1500, to: 6000, digest: .sha384) {
                $0.isAuthority = true
                $0.usage = [.certificateSigning]
            }
            issuer = try authority(root, [Self.intermediateMarker])
            leaf = try signer(issuer, [Self.leafMarker])
        case .intermediateWithoutMarker:
            issuer = try authority(root, [])
            leaf = try signer(issuer, [Self.leafMarker])
        case .leafWithoutMarker:
            issuer = intermediate
            leaf = try signer(intermediate, [])
        case .expiredLeaf:
            issuer = intermediate
            leaf = try signer(intermediate, [Self.leafMarker], until: -1)
        default:
            return { $0.certificates.removeLast() }
        }
        return {
            $0.certificates = [leaf.certificate.der, issuer.certificate.der]
            $0.signers[0].identity = leaf
        }
    }
}

/// base64 text whose first byte has one bit changed.
private func flipped(_ text: String?) -> String? {
    guard let text, var data = Data(base64Encoded: text), !data.isEmpty else { return text }
    data[0] ^= 1
    return data.base64EncodedString()
}
