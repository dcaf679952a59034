import ApplePayToken
import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit

/// The processing keys and identities of every merchant, each with what is wrong with it.
struct KeyList {
    let reports: [KeyReport]

    init(_ file: MerchantsFile, at time: Timestamp) {
        var (reports, owners) = ([KeyReport](), KeyOwners())
        for merchant in file.registry.merchants {
            for (index, entry) in merchant.applePay.keys.enumerated() {
                let files = [entry.key, entry.certificate].compactMap(\.self).joined(separator: ", ")
                let title = "\(merchant.displayName), applePay.keys[\(index)]: \(files)"
                do throws(ConfigurationError) {
                    let read = try ProcessingKeys.read(entry, of: merchant, at: index, in: file.folder)
                    var report = KeyReport(
                        title: title, key: read.key.publicKey, certificate: read.certificate, at: time.seconds)
                    if read.certificate == nil {
                        report.add("certificate", "none; nobody is warned before it ends")
                    }
                    if let problem = owners.problem(of: read.key, merchant) { report.add(problem: problem) }
                    reports.append(report)
                } catch {
                    reports.append(KeyReport(title: title, problems: error.problems.map(\.reason)))
                }
            }
            for (index, entry) in merchant.applePay.identities.enumerated() {
                reports.append(Self.identity(entry, of: merchant, at: index, in: file.folder, time))
            }
        }
        self.reports = reports
    }

    private static func identity(
        _ entry: ApplePayMerchant.StoredKey, of merchant: Merchant, at index: Int, in folder: URL, _ time: Timestamp
    ) -> KeyReport {
        let files = [entry.key, entry.certificate].compactMap(\.self).joined(separator: ", ")
        let title = "\(merchant.displayName), applePay.identities[\(index)]: \(files)"
        do throws(ConfigurationError) {
            let certificate = try MerchantIdentities.read(entry, of: merchant, at: index, in: folder).certificate
            return KeyReport(title: title, key: certificate.publicKey, certificate: certificate, at: time.seconds)
        } catch {
            return KeyReport(title: title, problems: error.problems.map(\.reason))
        }
    }
}
