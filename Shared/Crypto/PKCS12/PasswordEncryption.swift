/// How a part of a PKCS#12 file is encrypted with a password, read from its bytes before OpenSSL computes anything.
struct PasswordEncryption {
    /// The AlgorithmIdentifier, as it was written.
    let algorithm: ArraySlice<UInt8>
    /// How often the password is hashed: the cost of opening it.
    let iterations: Int
    let ciphertext: ArraySlice<UInt8>

    /// pbeWithSHAAnd… of PKCS#12 (RFC 7292 appendix C) up to the last number: 3 is triple DES, 6 the RC2 of macOS.
    private static let pkcs12PBE: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01]
    private static let pkcs12Ciphers: ClosedRange<UInt8> = 3...6
    /// PBES2 and PBKDF2 (RFC 8018).
    private static let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
    private static let pbkdf2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]

    /// - Throws: ``CryptoError`` for another algorithm, such as scrypt, whose cost is not one number.
    init(algorithm: DERElement?, ciphertext: DERElement?) throws(CryptoError) {
        guard let algorithm, let ciphertext else { throw PKCS12Form.malformed }
        var fields = algorithm.children
        guard let name = fields.next(DERTag.objectIdentifier)?.content,
            let parameters = fields.last(DERTag.sequence)?.children
        else { throw PKCS12Form.malformed }
        let iterations: Int?
        if name.dropLast().elementsEqual(Self.pkcs12PBE), let cipher = name.last, Self.pkcs12Ciphers.contains(cipher) {
            iterations = Self.iterations(parameters)
        } else if name.elementsEqual(Self.pbes2) {
            iterations = Self.derivation(parameters).flatMap { Self.iterations($0) }
        } else {
            iterations = nil
        }
        guard let iterations else {
            throw CryptoError(
                .input, "the PKCS#12 file is encrypted in a way that is not read here; export it with openssl pkcs12")
        }
        self.algorithm = algorithm.encoding
        self.iterations = iterations
        self.ciphertext = ciphertext.content
    }

    /// The parameters of PBKDF2 in those of PBES2; nil for another derivation.
    private static func derivation(_ parameters: DERCursor) -> DERCursor? {
        var parameters = parameters
        guard var derivation = parameters.next(DERTag.sequence)?.children,
            derivation.next(DERTag.objectIdentifier)?.content.elementsEqual(pbkdf2) == true
        else { return nil }
        return derivation.last(DERTag.sequence)?.children
    }

    /// Both kinds of parameters begin with salt and iterations.
    private static func iterations(_ parameters: DERCursor) -> Int? {
        var parameters = parameters
        guard parameters.next(DERTag.octetString) != nil else { return nil }
        return parameters.next(DERTag.integer)?.smallNumber
    }
}
