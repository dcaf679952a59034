/// The form of a PKCS#12 file (RFC 7292), read from its bytes alone: what is encrypted how, and what the MAC covers.
///
/// Whoever wrote the file chose how long it takes to open. So the costs are summed here before OpenSSL computes.
struct PKCS12Form {
    /// Larger files are not read. A key with its chain has up to 8 KB.
    static let maximumSize = 65_535
    /// The sum of all iterations of a file: half a second. openssl writes 2,048 a part, careful tools 600,000 in all.
    static let maximumIterations = 1_000_000
    private static let maximumParts = 32

    /// What guards the file against changes, and tells a wrong password.
    struct MAC {
        /// The hash, by its name in OpenSSL.
        let hash: String
        let digest: ArraySlice<UInt8>
        let salt: ArraySlice<UInt8>
        let iterations: Int
    }

    /// A bag that is used here; others (attributes, revocation lists) are skipped.
    enum Bag {
        case certificate(ArraySlice<UInt8>)
        /// PKCS#8 in the clear.
        case key(ArraySlice<UInt8>)
        case encryptedKey(PasswordEncryption)
    }

    /// What the MAC covers.
    let content: ArraySlice<UInt8>
    let mac: MAC
    private(set) var bags: [Bag] = []
    /// Contents that hold further bags.
    private(set) var encrypted: [PasswordEncryption] = []

    static var malformed: CryptoError {
        CryptoError(
            .input, "this is no PKCS#12 file in DER, or its form is unusual; make it again with openssl pkcs12 -export")
    }

    /// The iterations of everything that is known before the first part is opened.
    var iterations: Int {
        mac.iterations + encrypted.reduce(0) { $0 + $1.iterations } + Self.iterations(of: bags)
    }

    /// - Throws: ``CryptoError`` `.input`, also when opening it would cost too much.
    init(_ bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count <= Self.maximumSize else {
            throw CryptoError(.input, "a PKCS#12 file has at most \(Self.maximumSize) bytes")
        }
        var outer = DERCursor(bytes[...])
        guard var file = outer.last(DERTag.sequence)?.children, file.next(DERTag.integer)?.smallNumber == 3,
            var safe = file.next(DERTag.sequence)?.children, safe.next(DERTag.objectIdentifier)?.isData == true,
            let content = Self.octets(safe.last(DERTag.context0))
        else { throw Self.malformed }
        guard !file.isAtEnd else {
            throw CryptoError(.input, "the PKCS#12 file has no MAC; make it again without -nomac")
        }
        self.content = content
        mac = try Self.mac(file.last(DERTag.sequence))
        var parts = DERCursor(content)
        guard var safes = parts.last(DERTag.sequence)?.children else { throw Self.malformed }
        var count = 0
        while !safes.isAtEnd {
            count += 1
            guard count <= Self.maximumParts, var safe = safes.next(DERTag.sequence)?.children,
                let kind = safe.next(DERTag.objectIdentifier), let value = safe.last(DERTag.context0)
            else { throw Self.malformed }
            if kind.isData {
                guard let octets = Self.octets(value) else { throw Self.malformed }
                bags += try Self.bags(in: octets)
            } else {
                encrypted.append(try Self.encrypted(value))
            }
        }
        try Self.requireBounded(iterations)
    }

    /// - Throws: ``CryptoError`` when opening costs too much.
    static func requireBounded(_ iterations: Int) throws(CryptoError) {
        guard iterations <= maximumIterations else {
            throw CryptoError(
                .input,
                "the PKCS#12 file wants its password hashed \(iterations) times, more than \(maximumIterations); export it again"
            )
        }
    }

    static func iterations(of bags: [Bag]) -> Int {
        bags.reduce(0) { sum, bag in
            if case .encryptedKey(let encryption) = bag { sum + encryption.iterations } else { sum }
        }
    }

    /// The bags in SafeContents (RFC 7292 section 4.2).
    static func bags(in contents: ArraySlice<UInt8>) throws(CryptoError) -> [Bag] {
        var contents = DERCursor(contents)
        guard var list = contents.last(DERTag.sequence)?.children else { throw malformed }
        var (bags, count) = ([Bag](), 0)
        while !list.isAtEnd {
            count += 1
            guard count <= maximumParts, var bag = list.next(DERTag.sequence)?.children,
                let kind = bag.next(DERTag.objectIdentifier)?.content, let value = bag.next(DERTag.context0)
            else { throw malformed }
            guard kind.dropLast().elementsEqual(bagTypes), let number = kind.last else { continue }
            var inner = value.children
            switch number {
            case 1:
                guard let key = inner.last(DERTag.sequence)?.encoding else { throw malformed }
                bags.append(.key(key))
            case 2:
                guard var key = inner.last(DERTag.sequence)?.children else { throw malformed }
                let algorithm = key.next(DERTag.sequence)
                bags.append(
                    .encryptedKey(
                        try PasswordEncryption(algorithm: algorithm, ciphertext: key.last(DERTag.octetString))))
            case 3:
                guard var certificate = inner.last(DERTag.sequence)?.children,
                    certificate.next(DERTag.objectIdentifier) != nil,
                    let der = octets(certificate.last(DERTag.context0))
                else { throw malformed }
                bags.append(.certificate(der))
            default: continue
            }
        }
        return bags
    }

    /// 1.2.840.113549.1.12.10.1: the types of bags, up to their last number.
    private static let bagTypes: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01]

    private static func octets(_ wrapped: DERElement?) -> ArraySlice<UInt8>? {
        var inner = wrapped?.children
        return inner?.last(DERTag.octetString)?.content
    }

    private static func encrypted(_ value: DERElement) throws(CryptoError) -> PasswordEncryption {
        var wrapped = value.children
        guard var data = wrapped.last(DERTag.sequence)?.children, data.next(DERTag.integer) != nil,
            var content = data.next(DERTag.sequence)?.children, content.next(DERTag.objectIdentifier)?.isData == true
        else { throw malformed }
        let algorithm = content.next(DERTag.sequence)
        return try PasswordEncryption(algorithm: algorithm, ciphertext: content.last(DERTag.primitive0))
    }

    private static func mac(_ element: DERElement?) throws(CryptoError) -> MAC {
        guard var data = element?.children, var info = data.next(DERTag.sequence)?.children,
            var algorithm = info.next(DERTag.sequence)?.children,
            let name = algorithm.next(DERTag.objectIdentifier)?.content,
            algorithm.isAtEnd || algorithm.last(DERTag.null)?.content.isEmpty == true,
            let digest = info.last(DERTag.octetString)?.content, let salt = data.next(DERTag.octetString)?.content
        else { throw malformed }
        guard let hash = hashes.first(where: { name.elementsEqual($0.oid) })?.name else {
            throw CryptoError(.input, "the PKCS#12 file's MAC is neither of SHA-1 nor of SHA-2")
        }
        // RFC 7292: one iteration where none are named.
        let iterations = data.isAtEnd ? 1 : data.last(DERTag.integer)?.smallNumber
        guard let iterations, iterations > 0 else { throw malformed }
        return MAC(hash: hash, digest: digest, salt: salt, iterations: iterations)
    }

    private static let hashes: [(oid: [UInt8], name: String)] = [
        ([0x2B, 0x0E, 0x03, 0x02, 0x1A], "SHA1"),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01], "SHA256"),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02], "SHA384"),
        ([0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03], "SHA512"),
    ]
}

extension DERElement {
    /// Whether this is the object identifier of PKCS#7 data (1.2.840.113549.1.7.1).
    fileprivate var isData: Bool {
        content.elementsEqual([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01])
    }
}
