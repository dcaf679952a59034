import Foundation
public import OrchardJSON
import SandboxPKI
public import SandboxWallet

/// A merchant session: what Apple gives a merchant's server for one sheet, and what a device demands before it shows
/// one.
///
/// Apple's is opaque but for its times. This one is signed with the key of the wallet's session server.
public struct MerchantSession: Sendable {
    /// Upper-case hexadecimal SHA-256 of the merchant identifier.
    public let merchant: String
    /// The host of the page.
    public let domain: String
    /// Milliseconds since 1970.
    public let expiresAt: Int64

    /// The members in the order in which they are signed.
    private static let signed = [
        "epochTimestamp", "expiresAt", "merchantSessionIdentifier", "nonce", "merchantIdentifier", "domainName",
        "displayName",
    ]

    /// How a session names a merchant.
    public static func name(of merchant: String) -> String {
        Hexadecimal.encode(Digest.sha256.hash(Array(merchant.utf8))).uppercased()
    }

    /// Makes a session of five minutes.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func issue(
        to merchant: String, named name: String, for domain: String, by wallet: Wallet,
        at now: Int64 = Int64(Date().timeIntervalSince1970 * 1_000)
    ) throws(PKIError) -> [UInt8] {
        let values: [String: JSONValue] = [
            "epochTimestamp": .integer(now), "expiresAt": .integer(now + 300_000),
            "merchantSessionIdentifier": .string("SSH" + Hexadecimal.encode(Randomness.bytes(32))),
            "nonce": .string(Hexadecimal.encode(Randomness.bytes(4))),
            "merchantIdentifier": .string(Self.name(of: merchant)), "domainName": .string(domain),
            "displayName": .string(name),
        ]
        let members = signed.compactMap { name in values[name].map { JSONMember(name, $0) } }
        let signature = try wallet.server.key.sign(JSONValue.object(members).bytes)
        return JSONValue.object(members + [JSONMember("signature", .string(Hexadecimal.encode(signature)))]).bytes
    }

    /// Takes a session as a device does.
    ///
    /// - Returns: nil when it is not one that the wallet's session server gave.
    public init?(_ json: JSONValue, from wallet: Wallet) {
        let members = Self.signed.compactMap { name in json[name].map { JSONMember(name, $0) } }
        guard json.members?.count == Self.signed.count + 1, members.count == Self.signed.count,
            let signature = json["signature"]?.string.flatMap({ Hexadecimal.decode($0) }),
            wallet.server.certificate.publicKey.verify(signature, of: JSONValue.object(members).bytes),
            let merchant = json["merchantIdentifier"]?.string, let domain = json["domainName"]?.string,
            let end = json["expiresAt"]?.integer
        else { return nil }
        (self.merchant, self.domain, expiresAt) = (merchant, domain, end)
    }
}
