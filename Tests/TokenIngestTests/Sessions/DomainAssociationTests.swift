import Contracts
import Foundation
import KeyFiles
import OrchardHTTPTypes
import OrchardServiceKit
import TestSupport
import Testing

@testable import TokenIngest

@Suite("Apple's domain association file")
struct DomainAssociationTests {
    private let shop: Shop
    private static let path = "/.well-known/apple-developer-merchantid-domain-association"

    init() throws {
        shop = try Shop()
        try Shop.write(Array("7B2276657273696F6E".utf8), to: shop.folder.appending(path: "tea-association"))
        try Shop.write(Array("AA".utf8), to: shop.folder.appending(path: "silk-association"))
    }

    /// Names domains for both merchants, and returns what is wrong with the file.
    private func name(_ file: String = "tea-association", _ more: String = "") async throws -> String? {
        let url = shop.folder.appending(path: "merchants.json")
        var text = String(decoding: try Shop.read(url), as: UTF8.self)
        for (domain, merchant, file) in [
            ("tea.example", Shop.identifiers[0], file), ("Silk.example", Shop.identifiers[1], "silk-association"),
        ] {
            text = text.replacing(
                #"{"merchantIdentifier": "\#(merchant)","#,
                with:
                    #"{"merchantIdentifier": "\#(merchant)", "domains": [{"domain": "\#(domain)", "associationFile": "\#(file)"}\#(more)],"#
            )
        }
        try Shop.write(Array(text.utf8), to: url)
        return await shop.endpoint.merchants.reload()
    }

    private func fetch(_ host: String?, _ suffix: String = "") async throws -> HTTPResponse {
        var fields = HTTPFields()
        fields["Host"] = host
        return try await shop.answer(to: HTTPRequest(method: .get, target: Self.path + suffix, fields: fields))
    }

    @Test("is answered for the host, with and without its suffix, as it is on disk")
    func served() async throws {
        #expect(try await name() == nil)
        for (host, content) in [
            ("tea.example", "7B2276657273696F6E"), ("TEA.example:443", "7B2276657273696F6E"), ("silk.example", "AA"),
        ] {
            for suffix in ["", ".txt"] {
                let answer = try await fetch(host, suffix)
                #expect(answer.status == .ok)
                #expect(answer.fields["Content-Type"] == "text/plain")
                #expect(String(decoding: answer.body, as: UTF8.self) == content)
            }
        }
    }

    @Test("is not found for another host", arguments: ["evil.example", "tea.example.evil.example", "", nil])
    func otherHost(_ host: String?) async throws {
        #expect(try await name() == nil)
        for suffix in ["", ".txt"] { #expect(try await fetch(host, suffix).status == .notFound) }
    }

    @Test("is read again when it changes")
    func reload() async throws {
        #expect(try await name() == nil)
        try Shop.write(Array("7B00".utf8), to: shop.folder.appending(path: "tea-association"))
        #expect(await shop.endpoint.merchants.reload() == nil)
        #expect(try await String(decoding: fetch("tea.example").body, as: UTF8.self) == "7B00")
    }

    @Test(
        "is refused when it is missing, empty, huge or a key, and the old one stays",
        arguments: [
            ("nowhere", "does not exist"), ("empty", "it has 0 bytes"), ("huge", "it has 65537 bytes"),
            ("merchant.com.example.tea/identity.key.pem", "is a key or certificate"),
        ])
    func wrong(_ file: String, _ reason: String) async throws {
        try Shop.write([], to: shop.folder.appending(path: "empty"))
        try Shop.write([UInt8](repeating: 0x41, count: 65_537), to: shop.folder.appending(path: "huge"))
        let text = try await name(file)
        #expect(text?.contains("applePay.domains[0].associationFile") == true, "\(text ?? "")")
        #expect(text?.contains(reason) == true, "\(text ?? "")")
        #expect(shop.endpoint.merchants.current.associations.content(forHost: "silk.example") == nil)
    }

    @Test("is one a domain, of one merchant")
    func repeated() async throws {
        let text = try await name(
            "tea-association", #", {"domain": "b.example", "associationFile": "silk-association"}"#)
        #expect(text?.contains("two have the same applePay.domains.domain") == true, "\(text ?? "")")
    }
}
