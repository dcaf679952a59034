import KeyFiles
import OrchardCrypto
import OrchardServiceKit

/// The files of a new key and of the request for its certificate.
struct CertificateRequestFiles {
    /// What Apple takes (developer.apple.com, "Create a payment processing certificate").
    enum Algorithm: String, CaseIterable {
        /// P-256, SHA-256.
        case ec
        /// 2048 bits, SHA-256; for payments in mainland China.
        case rsa
    }

    /// What the certificate is for.
    enum Use: String, CaseIterable {
        /// Tokens are encrypted to it.
        case processing
        /// Apple's session servers know the merchant by it.
        case identity
    }

    let use: Use
    let algorithm: Algorithm
    let key: KeyFile
    let request: KeyFile
    let name: String
    /// As they were given, for the next steps.
    private let names: (key: String, request: String)

    /// - Throws: ``UsageError`` for options that are missing or do not fit.
    init(_ invocation: Invocation) throws(UsageError) {
        let use = invocation[option: "use"] ?? Use.processing.rawValue
        guard let use = Use(rawValue: use) else {
            throw UsageError("--use \(use) is not known; processing or identity is expected")
        }
        self.use = use
        let algorithm = invocation[option: "algorithm"] ?? (use == .identity ? "rsa" : "ec")
        guard let algorithm = Algorithm(rawValue: algorithm) else {
            throw UsageError("--algorithm \(algorithm) is not known; ec or rsa is expected")
        }
        guard use == .processing || algorithm == .rsa else {
            throw UsageError("--algorithm \(algorithm) does not fit: Apple takes rsa for an identity")
        }
        self.algorithm = algorithm
        names = (try invocation.required("key"), try invocation.required("output"))
        key = KeyFile(names.key)
        request = KeyFile(names.request)
        guard key != request else { throw UsageError("--key and --output must be two files") }
        name =
            invocation[option: "name"]
            ?? (use == .identity ? "Apple Pay Merchant Identity" : "Apple Pay Payment Processing")
        guard (1...CertificateRequest.maximumName).contains(name.utf8.count) else {
            throw UsageError("--name must have 1 to \(CertificateRequest.maximumName) bytes")
        }
    }

    /// Makes key and request, both or none.
    ///
    /// - Throws: ``KeyFileError`` when one of them exists or cannot be written.
    func make() throws {
        switch algorithm {
        case .ec:
            let key = try P256PrivateKey.generate()
            try write(key.pem, CertificateRequest.pem(commonName: name, key: key))
        case .rsa:
            let key = try RSAPrivateKey.generate(bits: 2048)
            try write(key.pem, CertificateRequest.pem(commonName: name, key: key))
        }
    }

    private func write(_ pem: borrowing SecretBytes, _ text: String) throws(KeyFileError) {
        try pem.withBytes { bytes throws(KeyFileError) in try key.create(bytes, readers: .owner) }
        do throws(KeyFileError) { try request.create(Array(text.utf8), readers: .everyone) } catch {
            // Nothing depends on a key that was made this moment.
            key.remove()
            throw error
        }
    }

    /// What the reader does next, at Apple's site and here.
    var nextSteps: String { use == .identity ? identitySteps : processingSteps }

    private var identitySteps: String {
        """
        made the private key \(names.key) (RSA, 2048 bits, mode 0600) and the request \(names.request)

        What to do next:
        1. At https://developer.apple.com/account/resources/identifiers/list/merchant choose your merchant
           identifier, and under "Apple Pay Merchant Identity Certificate" choose Create Certificate. Upload
           \(names.request).
        2. Download the certificate (merchant_id.cer), put it beside the key, and check both:
           token-ingest keys check \(names.key) merchant_id.cer --merchants merchants.json
        3. Add both to the merchant's applePay.identities in merchants.json, and leave the old one there:
           {"key": "\(names.key)", "certificate": "merchant_id.cer"}
           Running services read them within seconds, and show Apple the newest that is valid.
        4. For each domain of the shop choose Add Domain under "Merchant Domains", download the file, name both in
           applePay.domains, and then choose Verify:
           {"domain": "shop.example", "associationFile": "apple-developer-merchantid-domain-association.txt"}
           docs/web.md has the rest.
        5. When every host has the new identity, take the old one out and revoke it at Apple.
           Never copy the private key anywhere else. Apple's certificate ends after 25 months.

        """
    }

    private var processingSteps: String {
        let (made, china) = algorithm == .ec ? ("EC, P-256", "No") : ("RSA, 2048 bits", "Yes")
        return """
            made the private key \(names.key) (\(made), mode 0600) and the request \(names.request)

            What to do next:
            1. At https://developer.apple.com/account/resources/identifiers/list/merchant choose your merchant
               identifier, and under "Apple Pay Payment Processing Certificate" choose Create Certificate. Asked whether
               payments are processed only in mainland China, answer \(china). Upload \(names.request).
               Apple keeps two of these certificates: if it takes no third, revoke the one that is not active.
            2. Download the certificate (apple_pay.cer), put it beside the key, and check both:
               token-ingest keys check \(names.key) apple_pay.cer --merchants merchants.json
            3. Add both to the merchant's applePay.keys in merchants.json, and leave the old key there:
               {"key": "\(names.key)", "certificate": "apple_pay.cer"}
               Running services read them within seconds. Do so on every host; token-ingest keys list shows them.
            4. Only then choose Activate on Apple's page. From then on tokens are encrypted to the new key.
            5. Keep the old key in merchants.json for a day: tokens for it may still arrive. Then take it out.
               Never copy the private key anywhere else. Apple's certificate ends after 25 months.

            """
    }
}
