import Foundation
import SandboxPKI

/// The iPhone and Apple's servers in one: mints payment tokens under a throw-away PKI with Apple's structure.
///
/// Written from the token format alone; it shares no code with the verifier that it is used to test.
public struct Wallet: Sendable {
    /// Marks the certificate that signs tokens.
    public static let leafMarker = "1.2.840.113635.100.6.29"
    /// Marks the certificate authority under the root.
    public static let intermediateMarker = "1.2.840.113635.100.6.2.14"
    /// Holds the hash of the merchant identifier in a payment processing certificate.
    public static let merchantMarker = "1.2.840.113635.100.6.32"

    public let root: Identity
    public let intermediate: Identity
    /// Issues merchant certificates.
    public let relations: Identity
    /// The identities that sign the tokens of each scheme.
    public let leaves: [Scheme: Identity]
    public let merchants: [WalletMerchant]
    /// Apple's session server, at `localhost` and 127.0.0.1; ``server(named:at:)`` has other names.
    public let server: Identity

    init(
        root: Identity, intermediate: Identity, relations: Identity, leaves: [Scheme: Identity],
        merchants: [WalletMerchant], server: Identity
    ) {
        self.root = root
        self.intermediate = intermediate
        self.relations = relations
        self.leaves = leaves
        self.merchants = merchants
        self.server = server
    }

    /// Makes a new PKI with two generations of processing keys a scheme for each merchant.
    ///
    /// - Parameter now: seconds since 1970; all certificates are valid then, and for more than a year after.
    public init(merchants: [String], at now: Int64 = Int64(Date().timeIntervalSince1970)) throws(PKIError) {
        root = try Self.issue("Sandbox Root CA - G3", .p384, nil, now, from: 1500, to: 6000, digest: .sha384) {
            $0.isAuthority = true
            $0.usage = [.certificateSigning, .listSigning]
        }
        intermediate = try Self.issue("Sandbox Application Integration CA - G3", .p256, root, now, from: 1400, to: 3650)
        {
            $0.isAuthority = true
            $0.usage = [.certificateSigning, .listSigning]
            $0.extensions = [(Self.intermediateMarker, DER.null)]
        }
        relations = try Self.issue("Sandbox Developer Relations CA", .p256, root, now, from: 1400, to: 3650) {
            $0.isAuthority = true
            $0.usage = [.certificateSigning, .listSigning]
        }
        let (broker, issuer) = (intermediate, relations)
        leaves = [
            .ec: try Self.leaf("ecc-smp-broker-sign_UC4-SANDBOX", .p256, broker, now),
            .rsa: try Self.leaf("rsa-smp-broker-sign_UC4-SANDBOX", .rsa2048, broker, now),
        ]
        var list: [WalletMerchant] = []
        for merchant in merchants { list.append(try WalletMerchant(merchant, issuer: issuer, at: now)) }
        self.merchants = list
        server = try Self.server(["localhost"], key: PrivateKey(.p256), by: root, at: now)
    }

    /// The session server with a certificate for names of its own besides `localhost` and 127.0.0.1. Its key stays the
    /// same, so that devices take its sessions.
    ///
    /// - Parameter now: seconds since 1970; the certificate is valid then, and for a year after.
    public func server(
        named names: [String], at now: Int64 = Int64(Date().timeIntervalSince1970)
    ) throws(PKIError) -> Identity {
        try Self.server(["localhost"] + names, key: server.key, by: root, at: now)
    }

    private static func server(
        _ names: [String], key: PrivateKey, by root: Identity, at now: Int64
    ) throws(PKIError) -> Identity {
        let day: Int64 = 86_400
        var template = CertificateTemplate(
            commonName: names[0], validity: (now - 2 * day)...(now + 365 * day))
        template.usage = [.digitalSignature]
        template.extensions = [
            // subjectAltName, and extendedKeyUsage: serverAuth
            (
                "2.5.29.17",
                DER.sequence(
                    names.flatMap { DER.element(0x82, Array($0.utf8)) } + DER.element(0x87, [127, 0, 0, 1]))
            ), ("2.5.29.37", DER.sequence(DER.objectIdentifier("1.3.6.1.5.5.7.3.1"))),
        ]
        return try Identity.issue(template, key: key, by: root)
    }

    /// Another identity of a merchant, as Apple would issue it; ``WalletMerchant/identity`` stays what it is.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - before: days for which it has been valid.
    ///   - after: days for which it will be; below zero for one that has ended.
    public func identity(
        of merchant: String, at now: Int64, from before: Int64 = 1, to after: Int64
    ) throws(PKIError) -> Identity {
        try WalletMerchant.identity(merchant, issuer: relations, at: now, from: before, to: after)
    }

    private static func leaf(
        _ name: String, _ kind: PrivateKey.Kind, _ issuer: Identity, _ now: Int64
    ) throws(PKIError) -> Identity {
        try issue(name, kind, issuer, now, from: 1000, to: 800) {
            $0.usage = [.digitalSignature]
            $0.extensions = [(leafMarker, DER.null)]
        }
    }

    /// Issues a certificate whose validity is given in days before and after `now`.
    static func issue(
        _ name: String, _ kind: PrivateKey.Kind, _ issuer: Identity?, _ now: Int64, from before: Int64, to after: Int64,
        digest: Digest = .sha256, _ configure: (inout CertificateTemplate) -> Void
    ) throws(PKIError) -> Identity {
        let day: Int64 = 86_400
        var template = CertificateTemplate(commonName: name, validity: (now - before * day)...(now + after * day))
        configure(&template)
        return try Identity.issue(template, key: PrivateKey(kind), by: issuer, digest: digest)
    }

    /// The merchant's processing identity.
    public func processing(_ merchant: String, _ scheme: Scheme, generation: Int = 1) throws(WalletError) -> Identity {
        let keys = merchants.first { $0.id == merchant }?.keys
        guard let key = keys?.first(where: { $0.scheme == scheme && $0.generation == generation }) else {
            throw WalletError(
                .unknownMerchant, "\(merchant) has no \(scheme.rawValue) key of generation \(generation) in this wallet"
            )
        }
        return key.identity
    }
}
