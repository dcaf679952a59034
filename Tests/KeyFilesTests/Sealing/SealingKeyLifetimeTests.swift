import Contracts
import OrchardCrypto
import OrchardJOSE
import Testing

@testable import KeyFiles

@Suite struct SealingKeyLifetimeTests {
    private static let now: Int64 = 1_000_000

    /// Keys as [first second, end], seconds from now; nil: no limit.
    @Test(
        arguments: [
            ("the first key starts at once", [], 0),
            ("a key that is over counts for nothing", [[-90_000, -3_600]], 0),
            ("a key in use leaves an hour to publish the next", [[-3_600, 82_800]], 3_600),
            ("no second is without a key", [[-86_000, 400]], 400),
            ("keys that follow each other are looked through", [[-86_000, 400], [400, 1_000]], 1_000),
            ("a key that starts later leaves a gap to fill", [[-86_000, 400], [500, 86_900]], 400),
            ("a key without limits is in use for ever", [[nil, nil]], 3_600),
        ] as [(String, [[Int64?]], Int64)])
    func `a key starts in an hour, or as soon as no other seals`(
        _ rule: String, _ spans: [[Int64?]], _ expected: Int64
    ) throws {
        let pair = try P256PrivateKey.generate()
        let keys = spans.map { span in
            JWK(
                keyID: "k", publicKey: pair.publicKey, notBefore: span[0].map { $0 + Self.now },
                expires: span[1].map { $0 + Self.now })
        }
        let start = SealingKeyLifetime.start(after: keys, now: Timestamp(seconds: Self.now))
        #expect(start.seconds - Self.now == expected, "\(rule)")
    }

    @Test(
        arguments: [
            (SealingUse.cards, 0, false), (.cards, 86_400, false), (.cards, 172_799, false), (.cards, 172_800, true),
            (.contacts, 172_800, false), (.contacts, 691_199, false), (.contacts, 691_200, true),
        ] as [(SealingUse, Int64, Bool)])
    func `a key opens for 48 hours from its start, one for contacts for 8 days`(
        _ use: SealingUse, _ age: Int64, _ isOver: Bool
    ) throws {
        let key = JWK(
            keyID: "k", publicKey: try P256PrivateKey.generate().publicKey, notBefore: 1_000, expires: 1_000 + 86_400)
        #expect(use.lifetime.isOver(key, now: Timestamp(seconds: 1_000 + age)) == isOver)
        #expect(
            !use.lifetime.isOver(
                JWK(keyID: "k", publicKey: key.publicKey), now: Timestamp(seconds: 1_000 + age)))
    }
}
