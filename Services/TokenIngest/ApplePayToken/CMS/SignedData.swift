/// CMS SignedData (RFC 5652 section 5.1), the parts that a token's signature has; read without a copy.
struct SignedData: Sendable {
    /// Apple's signatures have two certificates and one signer. One more is read, to detect that there are too many.
    private static let maximumCertificates = 3
    private static let maximumSigners = 2

    /// The embedded certificates in DER, in their order; no more than ``maximumCertificates``.
    let certificates: [[UInt8]]
    private let signers: [SignerInfo]
    private let contentInfo: BERElement

    /// Reads the structure. A signing time that is found is reported even when what follows is broken.
    init(_ bytes: [UInt8], signedAt: inout Int64?) throws(InvalidToken) {
        var outer = BERCursor(bytes)
        let info = try outer.next(BERTag.sequence)
        var fields = info.children
        guard try fields.next().isIdentifier(.signedData) else {
            throw InvalidToken(.parse, "the signature is CMS, but not SignedData")
        }
        var explicit = try fields.next(BERTag.context0).children
        var data = try explicit.next(BERTag.sequence).children
        _ = try data.next(BERTag.integer)
        _ = try data.next(BERTag.set)
        contentInfo = try data.next(BERTag.sequence)
        var certificates: [[UInt8]] = []
        if let set = try data.nextIf(BERTag.context0) {
            var rows = set.children
            while !rows.isAtEnd, certificates.count < Self.maximumCertificates {
                certificates.append(Array(try rows.next().encoding))
            }
        }
        self.certificates = certificates
        _ = try data.nextIf(BERTag.context1)
        var rows = try data.next(BERTag.set).children
        var signers: [SignerInfo] = []
        while !rows.isAtEnd, signers.count < Self.maximumSigners {
            let signer = try SignerInfo(try rows.next(BERTag.sequence))
            if signedAt == nil { signedAt = try signer.attributes?.signingTime }
            signers.append(signer)
        }
        self.signers = signers
        for cursor in [data, explicit, fields] { try cursor.requireEnd() }
        guard outer.isAtEnd else { throw InvalidToken(.parse, "there are more bytes after the signature") }
    }

    /// The one signer. The leaf's issuer and serial number must identify it.
    func signer(of chain: VerifiedChain) throws(InvalidToken) -> SignerInfo {
        guard signers.count == 1, let signer = signers.first else {
            throw InvalidToken(
                .signer, "the signature has \(signers.isEmpty ? "no signer" : "several signers"); Apple's have one")
        }
        guard signer.issuerAndSerial.map({ Array($0.value) }) == chain.leafIdentity else {
            throw InvalidToken(.signer, "the signer is not the leaf certificate of the chain")
        }
        return signer
    }

    /// The signature must be detached: the token holds the content in its own fields.
    func requireDetachedData() throws(InvalidToken) {
        var fields = contentInfo.children
        guard try fields.next().isIdentifier(.data), fields.isAtEnd else {
            throw InvalidToken(.signature, "the signature is not over detached data")
        }
    }
}
