import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJSON
import OrchardServiceKit

/// The merchants that UnionPay charges for, by their numbers there (`merId`), read and checked at the start.
struct UnionPayMerchants: Sendable {
    private let byAccount: [String: UnionPayMerchant]
    /// The signing certificates.
    let certificates: [CertificateExpiry]
    /// The files that the routes name.
    let files: [String]

    /// The environments that some account is in.
    var environments: Set<AcquirerRoute.Environment> { Set(byAccount.values.map(\.environment)) }

    subscript(account: String) -> UnionPayMerchant? { byAccount[account] }

    /// Reads what the routes of `merchants.json` name; paths in it are relative to `folder`.
    ///
    /// - Parameter problems: takes what is wrong with any route.
    init(_ registry: MerchantRegistry, folder: URL, problems: inout [ConfigurationError.Problem]) {
        var byAccount: [String: UnionPayMerchant] = [:]
        var certificates: [CertificateExpiry] = []
        var names: [String] = []
        for (place, owner, route) in registry.routes where route.acquirer == UnionPay.name {
            if !Self.isAccount(route.account) {
                problems.append(
                    .init(key: "\(place).account", reason: "a merId of UnionPay is 15 letters or digits"))
            }
            let settings = problems.gather { () throws(ConfigurationError) in
                try UnionPayRouteSettings(route.settings, at: "\(place).settings")
            }
            guard let settings else { continue }
            names += [settings.signingKey, settings.signingCertificate]
            let files = KeyPairFiles(
                key: .init("signingKey", settings.signingKey),
                certificate: .init("signingCertificate", settings.signingCertificate), in: folder)
            let merchant = problems.gather { () throws(ConfigurationError) in
                try files.read(at: "\(place).settings") { pem, certificate throws(CryptoError) in
                    let key = try UnionPayMerchant.key(pem: pem)
                    return try certificate.map { certificate throws(CryptoError) in
                        try UnionPayMerchant(in: route.environment, key: key, certificate: certificate)
                    }
                }
            }
            guard let merchant = merchant.flatMap({ $0 }) else { continue }
            certificates.append(
                CertificateExpiry(
                    merchant: owner.displayName, file: settings.signingCertificate, notAfter: merchant.notAfter))
            let other = byAccount.updateValue(merchant, forKey: route.account)
            if let other, other.environment != merchant.environment {
                problems.append(
                    .init(key: "\(place).environment", reason: "another route has this account in the other one"))
            }
            if let other, other.certificateID != merchant.certificateID {
                problems.append(
                    .init(key: "\(place).account", reason: "another route signs for it with another certificate"))
            }
        }
        self.byAccount = byAccount
        self.certificates = certificates
        files = names
    }

    private static func isAccount(_ text: String) -> Bool {
        text.utf8.count == 15 && text.utf8.allSatisfy(ACPSignature.isAlphanumeric)
    }
}

/// The member `settings` of a route to UnionPay: `{"signingKey": "file", "signingCertificate": "file"}`.
struct UnionPayRouteSettings: Hashable, Sendable {
    /// The merchant's signing key, PEM.
    let signingKey: String
    /// Its certificate, PEM; `certId` is the serial number.
    let signingCertificate: String

    /// - Throws: ``ConfigurationError`` with each member that is missing or unknown.
    init(_ json: JSONValue, at place: String) throws(ConfigurationError) {
        var problems: [ConfigurationError.Problem] = []
        for member in json.members ?? [] where !["signingKey", "signingCertificate"].contains(member.name) {
            problems.append(
                .init(
                    key: "\(place).\(OutsideText.printable(member.name, upTo: 64))",
                    reason: "no such member; known are signingCertificate, signingKey"))
        }
        func file(_ name: String) -> String {
            guard let file = json[name]?.string, (1...1_024).contains(file.utf8.count) else {
                problems.append(.init(key: "\(place).\(name)", reason: "the name of a file is required"))
                return ""
            }
            return file
        }
        signingKey = file("signingKey")
        signingCertificate = file("signingCertificate")
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}
