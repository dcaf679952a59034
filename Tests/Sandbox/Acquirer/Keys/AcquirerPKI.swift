import Foundation
import SandboxPKI

/// The throw-away certificates of UnionPay and of one merchant, in the layout of the independent acquirer's `init`.
public struct AcquirerPKI: Sendable {
    /// The common name of UnionPay's signing certificates; a gateway must check its third part.
    static let unionPayName = "041@8310000000083040@中国银联股份有限公司@00016495"
    static let foreignName = "041@8310000000099999@某某网络科技有限公司@00099999"

    /// Every certificate by the name of its files.
    public enum Name: String, CaseIterable, Sendable {
        /// The root that a gateway trusts.
        case root = "unionpay_root"
        case middle = "unionpay_middle"
        /// UnionPay's signing certificates: current, after `rotate`, and expired.
        case sign = "unionpay_sign"
        case signNext = "unionpay_sign_next"
        case signExpired = "unionpay_sign_expired"
        /// Encrypts card numbers.
        case encrypt = "unionpay_encrypt"
        case encryptNext = "unionpay_encrypt_next"
        /// The gateway's signing key.
        case merchant
        /// Right name, wrong chain.
        case impostor
        case impostorRoot = "impostor_root"
        /// Right chain, wrong name.
        case foreign
    }

    private struct Configuration: Codable {
        var merIds: [String]
        var certId: String
    }

    /// The file that identifies a folder of certificates.
    public static let file = "acquirer.json"

    private let identities: [Name: Identity]
    /// The merchants with a contract.
    public let merchants: [String]

    public subscript(name: Name) -> Identity {
        guard let identity = identities[name] else { preconditionFailure("\(name) is missing, though all were made") }
        return identity
    }

    /// The serial number of the merchant's signing certificate, which its requests carry as certId.
    public var certificateID: String { self[.merchant].certificate.serialNumberDecimal }

    /// Makes new certificates.
    ///
    /// - Parameter now: seconds since 1970.
    public init(
        merchants: [String], at now: Int64 = Int64(Date().timeIntervalSince1970), serialBits: Int = 40
    ) throws(PKIError) {
        func make(
            _ name: String, _ issuer: Identity?, from before: Int64 = 365, to after: Int64 = 1825,
            isAuthority: Bool = false
        ) throws(PKIError) -> Identity {
            let day: Int64 = 86_400
            var template = CertificateTemplate(commonName: name, validity: (now - before * day)...(now + after * day))
            template.isAuthority = isAuthority
            template.usage =
                isAuthority
                ? [.certificateSigning, .listSigning]
                : [.digitalSignature, .nonRepudiation, .keyEncipherment, .dataEncipherment]
            template.serialBits = serialBits
            return try Identity.issue(template, key: PrivateKey(.rsa2048), by: issuer)
        }
        let root = try make("Sandbox UnionPay Root CA", nil, from: 1000, to: 3650, isAuthority: true)
        let middle = try make("Sandbox CFCA OCA1", root, from: 1000, to: 3650, isAuthority: true)
        let impostorRoot = try make("Sandbox Unrelated Root CA", nil, from: 1000, to: 3650, isAuthority: true)
        identities = [
            .root: root, .middle: middle, .impostorRoot: impostorRoot,
            .sign: try make(Self.unionPayName, middle), .signNext: try make(Self.unionPayName, middle),
            .signExpired: try make(Self.unionPayName, middle, from: 800, to: -1),
            .encrypt: try make("Sandbox UnionPay encryption 1", middle),
            .encryptNext: try make("Sandbox UnionPay encryption 2", middle),
            .merchant: try make("051@SANDBOX@测试商户@00000001", middle),
            .impostor: try make(Self.unionPayName, impostorRoot), .foreign: try make(Self.foreignName, middle),
        ]
        self.merchants = merchants
    }

    /// Writes each certificate and key as PEM, and `acquirer.json`.
    public func save(to directory: URL) throws {
        for (name, identity) in identities {
            try identity.save(
                certificate: directory.appending(path: "\(name.rawValue).pem"),
                key: directory.appending(path: "\(name.rawValue).key"))
        }
        let configuration = Configuration(merIds: merchants, certId: certificateID)
        try JSONEncoder().encode(configuration).write(to: directory.appending(path: Self.file))
    }

    /// Reads a directory written by ``save(to:)`` or by the Python acquirer.
    public init(directory: URL) throws {
        guard let data = try? Data(contentsOf: directory.appending(path: Self.file)) else {
            throw PKIError(
                .badDirectory, "\(directory.path) has no \(Self.file): make it with `sandbox acquirer init`")
        }
        merchants = try JSONDecoder().decode(Configuration.self, from: data).merIds
        var identities: [Name: Identity] = [:]
        for name in Name.allCases {
            identities[name] = try Identity.load(
                certificate: directory.appending(path: "\(name.rawValue).pem"),
                key: directory.appending(path: "\(name.rawValue).key"))
        }
        self.identities = identities
    }
}
