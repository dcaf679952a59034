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
        // A folder whose address does not end in a slash would be taken for a file beside the others.
        let folder = URL(filePath: folder.path, directoryHint: .isDirectory)
        var byAccount: [String: UnionPayMerchant] = [:]
        var certificates: [(merchant: String, file: String, notAfter: Int64)] = []
        for (place, owner, route) in registry.routes where route.acquirer == UnionPay.name {
            for (name, reason) in Self.limits(route) {
                problems.append(.init(key: "\(place).\(name)", reason: reason))
            }
            do {
                let merchant = try Self.read(route, folder)
                certificates.append((owner, route.signingCertificate, merchant.notAfter))
                if let other = byAccount.updateValue(merchant, forKey: route.account),
                    other.certificateID != merchant.certificateID
                {
                    problems.append(
                        .init(key: "\(place).account", reason: "another route signs for it with another certificate"))
                }
            } catch let error as KeyFileError where error.code == .exposed {
                problems.append(.init(key: place, reason: "signingKey: \(error)"))
            } catch let error as CryptoError {
                problems.append(.init(key: place, reason: "signingKey and signingCertificate: \(error.reason)"))
            } catch {
                problems.append(
                    .init(
                        key: place,
                        reason: "\(route.signingKey) or \(route.signingCertificate) is not a file that can be read"))
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

    private static func read(_ route: AcquirerRoute, _ folder: URL) throws -> UnionPayMerchant {
        let file = KeyFile(URL(filePath: route.signingKey, relativeTo: folder).path)
        let certificate = try Data(contentsOf: URL(filePath: route.signingCertificate, relativeTo: folder))
        return try UnionPayMerchant(
            key: RSAPrivateKey(pem: file.readPrivate()), certificate: X509Certificate(file: Array(certificate)))
    }
}
