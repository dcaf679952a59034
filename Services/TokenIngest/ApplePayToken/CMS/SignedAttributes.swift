/// The signed attributes of a signer (RFC 5652 sections 5.3 and 11), found by name, never by position.
struct SignedAttributes: Sendable {
    private struct Attribute {
        let kind: BERElement
        let values: [BERElement]
        let encoding: ArraySlice<UInt8>
    }

    /// Apple signs four attributes; none of them has two values.
    private static let maximumCount = 16
    private static let maximumValues = 2

    private let element: BERElement
    private let attributes: [Attribute]

    init(_ element: BERElement) throws(InvalidToken) {
        self.element = element
        var rows = element.children
        var attributes: [Attribute] = []
        while !rows.isAtEnd {
            guard attributes.count < Self.maximumCount else { throw BERCursor.broken("too many signed attributes") }
            let row = try rows.next(BERTag.sequence)
            var fields = row.children
            let kind = try fields.next(BERTag.objectIdentifier)
            var set = try fields.next(BERTag.set).children
            try fields.requireEnd()
            var values: [BERElement] = []
            while !set.isAtEnd, values.count < Self.maximumValues { values.append(try set.next()) }
            attributes.append(Attribute(kind: kind, values: values, encoding: row.encoding))
        }
        self.attributes = attributes
    }

    /// The signed bytes: the attributes as a SET OF in DER instead of `[0]`.
    var signedBytes: [UInt8] {
        [BERTag.set] + element.encoding.dropFirst()
    }

    /// The first signing time, in seconds since 1970; nil when there is none.
    var signingTime: Int64? {
        get throws(InvalidToken) {
            guard let value = values(.signingTime).first else { return nil }
            guard let time = SigningTime.seconds(value) else {
                throw InvalidToken(.parse, "the signing time is no UTCTime or GeneralizedTime in seconds")
            }
            return time
        }
    }

    /// Checks the attributes' form, and that they belong to this content.
    func require(
        digest: [UInt8], digestAlgorithm: ObjectIdentifier, signatureAlgorithm: ObjectIdentifier
    ) throws(InvalidToken) {
        // The signature is over DER: the single length form, attributes sorted by their bytes.
        guard element.hasDERLength,
            zip(attributes, attributes.dropFirst()).allSatisfy({
                $0.encoding.lexicographicallyPrecedes($1.encoding)
            })
        else { throw InvalidToken(.signature, "the signed attributes are not in DER") }
        guard attributes.allSatisfy({ $0.values.count == 1 }), !hasOneTwice else {
            throw InvalidToken(.signature, "a signed attribute is there twice")
        }

        guard values(.contentType).first?.isIdentifier(.data) == true else {
            throw InvalidToken(.signature, "the signed content type is not data")
        }
        guard let signed = values(.messageDigest).first, signed.tag == BERTag.octetString,
            signed.value.elementsEqual(digest)
        else { throw InvalidToken(.signature, "the signature is over another token: its message digest differs") }
        if let protection = values(.algorithmProtection).first {
            try Self.require(protection, digestAlgorithm, signatureAlgorithm)
        }
    }

    /// There are few: each is compared with those before it.
    private var hasOneTwice: Bool {
        attributes.indices.contains { place in
            attributes[..<place].contains { $0.kind.value.elementsEqual(attributes[place].kind.value) }
        }
    }

    private func values(_ kind: ObjectIdentifier) -> [BERElement] {
        attributes.first { $0.kind.isIdentifier(kind) }?.values ?? []
    }

    /// CMSAlgorithmProtection (RFC 6211): the algorithms outside must be the signed ones.
    private static func require(
        _ protection: BERElement, _ digestAlgorithm: ObjectIdentifier, _ signatureAlgorithm: ObjectIdentifier
    ) throws(InvalidToken) {
        var fields = protection.children
        let digest = try? AlgorithmIdentifier(fields.next(BERTag.sequence))
        let signature = try? AlgorithmIdentifier(fields.next(BERTag.context1))
        guard protection.tag == BERTag.sequence, fields.isAtEnd, digest?.isPlain(digestAlgorithm) == true,
            signature?.isPlain(signatureAlgorithm) == true
        else { throw InvalidToken(.signature, "the signature names other algorithms than it was made with") }
    }
}
