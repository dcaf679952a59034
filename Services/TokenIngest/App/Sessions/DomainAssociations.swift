import Contracts
import Foundation
import KeyFiles
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// Apple's domain association files: Apple fetches each from its domain, to verify that the merchant owns it.
struct DomainAssociations: Sendable {
    /// Apple's has about 9 KB.
    private static let maximumSize = 64 << 10
    /// With and without the suffix: Apple has asked for both.
    static let paths = ["", ".txt"].map { "/.well-known/apple-developer-merchantid-domain-association\($0)" }

    private let contents: [String: [UInt8]]

    /// Reads the files that `merchants.json` names; paths in it are relative to its folder.
    ///
    /// - Throws: ``ConfigurationError`` with the problem of every file.
    init(_ registry: MerchantRegistry, folder: URL) throws(ConfigurationError) {
        var contents: [String: [UInt8]] = [:]
        var problems: [ConfigurationError.Problem] = []
        for merchant in registry.merchants {
            for (index, domain) in merchant.applePay.domains.enumerated() {
                do throws(KeyFileError) {
                    contents[domain.name] = try Self.read(
                        URL(filePath: domain.associationFile, relativeTo: folder).path)
                } catch {
                    let place = "merchants: \(merchant.displayName), applePay.domains[\(index)].associationFile"
                    problems.append(.init(key: place, reason: error.description))
                }
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.contents = contents
    }

    private static func read(_ path: String) throws(KeyFileError) -> [UInt8] {
        guard let content = try KeyFile(path).read() else { throw KeyFileError(.missing, path, "does not exist") }
        guard (1...maximumSize).contains(content.count) else {
            throw KeyFileError(.content, path, "is not Apple's association file: it has \(content.count) bytes")
        }
        // Everybody may read it from then on.
        guard !String(decoding: content, as: UTF8.self).contains("-----BEGIN") else {
            throw KeyFileError(.content, path, "is a key or certificate, not Apple's association file")
        }
        return content
    }

    /// The file of the domain that a request's `Host` names.
    func content(forHost host: String?) -> [UInt8]? {
        contents[String((host ?? "").prefix { $0 != ":" }).lowercased()]
    }
}

extension CheckedFile<IngestMerchants> {
    /// The routes that answer Apple's verification; another host than a merchant's domain gets 404.
    func addAssociations(to router: inout Router) {
        for path in DomainAssociations.paths {
            router.onImmediate(.get, path) { request, _ in
                guard let content = self.current.associations.content(forHost: request.fields["Host"]) else {
                    throw Problem(.notFound, code: "not-found")
                }
                return HTTPResponse(
                    status: .ok, fields: ["Content-Type": "text/plain", "Cache-Control": "no-store"], body: content)
            }
        }
    }
}
