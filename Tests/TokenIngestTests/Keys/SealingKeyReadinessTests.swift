import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import Testing

@testable import TokenIngest

@Suite("The key that card data is sealed to")
struct SealingKeyReadinessTests {
    private static func key(_ id: String, from: Int64?, to end: Int64?) throws -> JWK {
        JWK(keyID: id, publicKey: try P256PrivateKey.generate().publicKey, notBefore: from, expires: end)
    }

    @Test(
        "is the key in use with the latest start",
        arguments: [(0, nil), (10, "a"), (20, "b"), (29, "b"), (30, "b"), (39, "b"), (40, nil)] as [(Int64, String?)])
    func newest(_ time: Int64, _ id: String?) throws {
        let set = try JWKSet([Self.key("b", from: 20, to: 40), Self.key("a", from: 10, to: 30)])
        #expect(set.newestActive(at: time)?.keyID == id)
    }

    @Test("the readiness follows the clock and the file")
    func readiness() throws {
        let shop = try Shop()
        let sealing = SealingKeyReadiness(
            use: .cards, sealingKeys: shop.endpoint.sealingKeys, readiness: Readiness())
        let file = shop.folder.appending(path: "sealing.json")
        var component: ReadinessReport.Component? { sealing.readiness.report.components["sealing keys"] }
        try Shop.write(try JWKSet([Self.key("new", from: 10, to: 21_611)]).json(), to: file)
        #expect(sealing.sealingKeys.reload() == nil)
        sealing.report(at: Timestamp(seconds: 9))
        #expect(component?.isReady == false)
        sealing.report(at: Timestamp(seconds: 10))
        #expect(component?.isReady == true && component?.reason == "sealing to new")
        sealing.report(at: Timestamp(seconds: 12))
        #expect(component?.isReady == true && component?.reason.hasPrefix("WARNING: sealing to new") == true)
        try Shop.write(Array(#"{"keys":[]}"#.utf8), to: file)
        #expect(sealing.sealingKeys.reload() == nil)
        sealing.report(at: Timestamp(seconds: 10))
        #expect(component?.isReady == false)
    }
}
