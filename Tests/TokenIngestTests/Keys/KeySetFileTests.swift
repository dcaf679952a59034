import Contracts
import Crypto
import Foundation
import JOSE
import ServiceKit
import Testing

@testable import TokenIngest

@Suite("Key files that change while the program runs")
struct KeySetFileTests {
    private static func key(_ id: String, from: Int64?, to end: Int64?) throws -> JWK {
        JWK(keyID: id, publicKey: try P256PrivateKey.generate().publicKey, notBefore: from, expires: end)
    }

    @Test(
        "seals to the key in use that came last",
        arguments: [(0, nil), (10, "a"), (20, "b"), (29, "b"), (30, "b"), (39, "b"), (40, nil)] as [(Int64, String?)])
    func newest(_ time: Int64, _ id: String?) throws {
        let set = try JWKSet([Self.key("b", from: 20, to: 40), Self.key("a", from: 10, to: 30)])
        #expect(set.newestActive(at: time)?.keyID == id)
    }

    @Test("a new file is taken up; a broken one leaves the keys as they were and is told")
    func reload() throws {
        let shop = try Shop()
        let file = shop.folder.appending(path: "sealing.json")
        let keys = shop.endpoint.sealingKeys
        try Shop.write(Array("{".utf8), to: file)
        #expect(keys.reload()?.contains("sealing.json") == true)
        #expect(keys.keys["today"] != nil)
        try Shop.write(try JWKSet([Self.key("new", from: nil, to: nil)]).json(), to: file)
        #expect(keys.reload() == nil)
        #expect(keys.keys["today"] == nil)
        #expect(keys.keys["new"] != nil)
    }

    @Test("the readiness follows the file")
    func readiness() async throws {
        let shop = try Shop()
        let readiness = Readiness()
        let watch = KeyWatch(
            ticketKeys: shop.endpoint.ticketKeys, sealingKeys: shop.endpoint.sealingKeys, interval: .milliseconds(1),
            readiness: readiness, logger: Logger(label: "test"))
        try Shop.write(Array(#"{"keys":[]}"#.utf8), to: shop.folder.appending(path: "sealing.json"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await watch.run() }
            while readiness.report.components["sealing keys"]?.isReady != false { await Task.yield() }
            try Shop.write(
                try JWKSet([Self.key("new", from: nil, to: nil)]).json(),
                to: shop.folder.appending(path: "sealing.json"))
            while readiness.report.components["sealing keys"]?.isReady != true { await Task.yield() }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(readiness.report.components["sealing keys"]?.reason == "sealing to new")
    }
}
