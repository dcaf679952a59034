import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardServiceKit

/// The merchants that UnionPay charges for, by their numbers there (`merId`), read and checked at the start.
struct UnionPayMerchants: Sendable {
    private let byAccount: [String: UnionPayMerchant]
    /// The signing certificates, with their last seconds since 1970.
    let certificates: [(merchant: String, file: String, notAfter: Int64)]

    subscript(account: String) -> UnionPayMerchant? { byAccount[account] }

    /// Reads what the routes of `merchants.json` name; paths in it are relative to `folder`.
    ///
    /// - Parameter problems: takes what is wrong with any route.
    init(_ registry: MerchantRegistry, folder: URL, problems: inout [ConfigurationError.Problem]) {
        var byAccount: [String: UnionPayMerchant] = [:]
        var certificates: [(merchant: String, file: String, notAfter: Int64)] = []
        for (place, owner, route) in registry.routes where route.acquirer == UnionPay.name {
            for (name, reason) in Self.limits(route) {
                problems.append(.init(key: "\(place).\(name)", reason: reason))
            }
            let files = KeyPairFiles(
                key: .init("signingKey", route.signingKey),
                certificate: .init("signingCertificate", route.signingCertificate), in: folder)
            let merchant = problems.gather { () throws(ConfigurationError) in
                try files.read(at: place) { pem, certificate throws(CryptoError) in
                    let key = try UnionPayMerchant.key(pem: pem)
                    return try certificate.map { certificate throws(CryptoError) in
                        try UnionPayMerchant(key: key, certificate: certificate)
                    }
                }
            }
            guard let merchant = merchant.flatMap({ $0 }) else { continue }
            certificates.append((owner, route.signingCertificate, merchant.notAfter))
            if let other = byAccount.updateValue(merchant, forKey: route.account),
                other.certificateID != merchant.certificateID
            {
                problems.append(
                    .init(key: "\(place).account", reason: "another route signs for it with another certificate"))
            }
        }
        self.byAccount = byAccount
        self.certificates = certificates
    }

    /// What a route promises that this product of UnionPay cannot keep.
    private static func limits(_ route: AcquirerRoute) -> [(name: String, reason: String)] {
        var limits: [(String, String)] = []
        let isAccount = route.account.utf8.count == 15 && route.account.utf8.allSatisfy(ACPSignature.isAlphanumeric)
        if !isAccount { limits.append(("account", "a merId of UnionPay is 15 letters or digits")) }
        if route.currencies != [.cny] { limits.append(("currencies", "UnionPay's domestic sale takes CNY alone")) }
        if route.paymentData != [.emv] {
            limits.append(("paymentData", "UnionPay has no field for 3DSecure cryptograms; it takes EMV alone"))
        }
        return limits
    }
}
