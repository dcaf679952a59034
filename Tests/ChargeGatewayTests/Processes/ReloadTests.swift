import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import SandboxAcquirer
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("charge-gateway serve, while its files change", .serialized, .timeLimit(.minutes(10)))
struct ReloadTests {
    @Test("a merchants.json that takes a route from charges under way is refused, and the old one stays in force")
    func route() async throws {
        try await TestDeployment.with { deployment in
            let gateway = try deployment.gateway(["KEYS_RELOAD": "100ms"])
            _ = try await deployment.acquirer.control(
                "POST hold",
                body: .object([JSONMember("count", .integer(1)), JSONMember("stage", .string("received"))]))
            let charge = try deployment.shop.charge(Shop.order())
            try await deployment.publish([.charge(charge)])
            try await gateway.until { try await deployment.acquirer.control("GET held").array?.count == 1 }

            let file = deployment.shop.folder.appending(path: "merchants.json")
            let old = try Data(contentsOf: file)
            let route = try #require(deployment.shop.registry[Shop.merchant]?.routes.first?.id)
            let text = String(decoding: old, as: UTF8.self)
                .replacing(#""id":"\#(route)""#, with: #""id":"another""#)
            try #require(text != String(decoding: old, as: UTF8.self))
            try Data(text.utf8).write(to: file, options: .atomic)
            try await gateway.until { gateway.log.contains("a new file is refused") }
            #expect(gateway.log.contains("route \(route)"), "\(gateway.log.suffix(2_000))")

            _ = try await deployment.acquirer.control("POST release")
            try await gateway.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
            try old.write(to: file, options: .atomic)
            try await gateway.until { gateway.log.contains("every file is in force as it is now") }
        }
    }

    // Failure scenario 57.
    @Test("with sealing.rotate it makes the next key before the last one ends, for itself and for token-ingest")
    func rotation() async throws {
        try await TestDeployment.with { deployment in
            let now = Timestamp.now
            let pair = try P256PrivateKey.generate()
            let key = JWK(
                keyID: "ending", privateKey: pair, notBefore: now.seconds - 3_600, expires: now.seconds + 7_200)
            let folder = deployment.shop.folder
            let (own, published) = (
                folder.appending(path: "own.json").path, folder.appending(path: "published.json").path
            )
            try StoredKeySet(KeyFile(own), .withPrivate).write([key])
            try StoredKeySet(KeyFile(published), .publicOnly).write([key])
            let gateway = try deployment.gateway([
                "SEALING_KEYS": own, "SEALING_ROTATE": "true", "SEALING_PUBLIC": published, "KEYS_RELOAD": "100ms",
            ])
            try await gateway.until { try StoredKeySet(KeyFile(published), .publicOnly).read()?.count == 2 }
            let next = try #require(try StoredKeySet(KeyFile(published), .publicOnly).read()?.last)
            #expect(next.notBefore == key.expires)
            // What is sealed to it, this gateway opens.
            let charge = try deployment.shop.charge(Shop.order(), sealedTo: (next.keyID, next.publicKey))
            try await deployment.publish([.charge(charge)])
            try await gateway.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
        }
    }

    @Test("sealing.rotate without a place for the public halves stops the start")
    func withoutPublic() async throws {
        try await TestDeployment.with { deployment in
            let gateway = try deployment.gateway(["SEALING_ROTATE": "true"])
            #expect(try await gateway.status() == 2)
            #expect(gateway.log.contains("sealing.public"), "\(gateway.log)")
        }
    }
}
