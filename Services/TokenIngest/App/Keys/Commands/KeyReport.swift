import ApplePayToken
import Contracts
import OrchardCrypto

/// What is known of one key and its certificate, and what is wrong with them.
struct KeyReport {
    /// A certificate that ends sooner is a problem; the service warns from then on too.
    static let warning: Int64 = 30 * 86_400

    /// The files that it was read from.
    let title: String
    private(set) var rows: [(name: String, value: String)] = []
    /// Each says what to do.
    private(set) var problems: [String] = []

    init(title: String, problems: [String] = []) {
        self.title = title
        self.problems = problems
    }

    /// What makes a new key and request of this kind.
    private var renewal = "make a new one: token-ingest keys csr"

    /// - Parameters:
    ///   - key: the public half of a private key that was found.
    ///   - certificate: the certificate of that public key; nil when none was found.
    ///   - time: now, in seconds since 1970.
    init(title: String, key: PublicKey?, certificate: X509Certificate?, at time: Int64) {
        self.init(title: title)
        let isIdentity = certificate.map(IdentityCertificate.isOne) ?? false
        if isIdentity { renewal += " --use identity" }
        if let publicKey = key ?? certificate?.publicKey { add(publicKey, isIdentity: isIdentity) }
        if let certificate {
            add(certificate, at: time)
            if key == nil {
                problems.append(
                    "the private key is missing; name its file too. Only who made the request to Apple has it")
            }
        }
    }

    mutating func add(_ name: String, _ value: String) { rows.append((name, value)) }

    mutating func add(problem: String) { problems.append(problem) }

    /// For an operator to read.
    var text: String {
        let lines = rows + problems.map { ("WRONG", $0) }
        return ([title] + lines.map { "  \($0.name.padded(to: 16)) \($0.value)" }).joined(separator: "\n") + "\n"
    }

    private mutating func add(_ key: PublicKey, isIdentity: Bool) {
        switch key {
        case .p256 where isIdentity: problems.append("the key is on P-256; Apple takes RSA with 2048 bits for this use")
        case .p256: add("algorithm", "EC, P-256 (tokens of EC_v1)")
        case .rsa(let key):
            let use = isIdentity ? "Merchant Identity, sessions for the web" : "tokens of RSA_v1, mainland China"
            add("algorithm", "RSA, \(key.bits) bits (\(use))")
            if key.bits != 2048 { problems.append("the RSA key has \(key.bits) bits; Apple takes 2048") }
        case .other: problems.append("the key is neither on P-256 nor RSA; Apple takes no other")
        }
        // In base64, as tokens have it in their header.
        if !isIdentity, let info = key.subjectPublicKeyInfo { add("publicKeyHash", Base64.encode(SHA256.hash(info))) }
    }

    private mutating func add(_ certificate: X509Certificate, at time: Int64) {
        if IdentityCertificate.isOne(certificate) {
            addIdentity(certificate)
            return addValidity(certificate, at: time)
        }
        do throws(CryptoError) {
            let merchant = try MerchantCertificate(certificate)
            if let identifier = merchant.merchantIdentifier { add("merchant", identifier) }
            add("merchant hash", Hex.encode(merchant.merchantIDHash))
        } catch {
            problems.append("\(error.reason); download the Payment Processing certificate from Apple")
        }
        addValidity(certificate, at: time)
    }

    private mutating func addIdentity(_ certificate: X509Certificate) {
        guard let identifier = certificate.subjectUserID else {
            return problems.append("the certificate names no merchant; download it from Apple again")
        }
        add("merchant", identifier)
        do throws(CryptoError) { try IdentityCertificate.check(certificate, of: identifier) } catch {
            problems.append(error.reason)
        }
    }

    private mutating func addValidity(_ certificate: X509Certificate, at time: Int64) {
        let (start, end) = (Self.day(certificate.notBefore), Self.day(certificate.notAfter))
        let days = (certificate.notAfter - time) / 86_400
        if time > certificate.notAfter {
            add("valid", "\(start) to \(end), over")
            problems.append("the certificate ended on \(end); \(renewal)")
        } else {
            add("valid", "\(start) to \(end), \(days) days left")
            if time < certificate.notBefore {
                problems.append("the certificate begins on \(start); is this machine's clock right?")
            } else if certificate.notAfter - time < Self.warning {
                problems.append("the certificate ends in \(days) days; \(renewal)")
            }
        }
    }

    private static func day(_ seconds: Int64) -> String {
        // Certificates may name years that no Timestamp has.
        let range = Int64(0)...253_402_300_799
        return String(Timestamp(seconds: min(max(seconds, range.lowerBound), range.upperBound)).description.prefix(10))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
