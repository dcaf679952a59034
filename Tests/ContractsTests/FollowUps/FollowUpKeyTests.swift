import Testing

@testable import Contracts

@Suite("The acquirer's key of a follow-up")
struct FollowUpKeyTests {
    private let time = Timestamp(seconds: 1_800_000_000)

    private func key(
        _ kind: FollowUpKind = .refund, _ cause: FollowUpCause = FollowUpSamples.command, _ attempt: Int = 0
    ) -> FollowUpKey {
        FollowUpKey(kind, cause: cause, causedAt: time, attempt: attempt)
    }

    @Test("is the same whoever computes it, and has UnionPay's form")
    func form() {
        #expect(key() == key())
        #expect(key().orderNumber.utf8.count == 32 && key().orderNumber.utf8.allSatisfy { $0 != UInt8(ascii: "-") })
        // A value that must never change: the acquirer has it.
        #expect(key().orderNumber == "4988adeab2b5592900fd4164ca927db7")
    }

    @Test("differs by kind, cause and attempt")
    func differs() {
        let keys = [
            key(), key(.void), key(.capture), key(.refund, .lateSuccess(Samples.payment)),
            key(.refund, FollowUpSamples.command, 1),
        ]
        #expect(Set(keys.map(\.orderNumber)).count == keys.count)
    }

    @Test("has a slot of ten minutes for each attempt, and its time begins it")
    func slots() {
        #expect(key(.refund, FollowUpSamples.command, 3).time == time + .seconds(1_800))
        #expect(key().slotEnd == key(.refund, FollowUpSamples.command, 1).time)
        for (seconds, attempt) in [(-5, 0), (0, 0), (599, 0), (600, 1), (1_799, 2), (1_800, 3)] {
            #expect(FollowUpKey.attempt(at: time + .seconds(seconds), causedAt: time) == attempt, "\(seconds)")
        }
    }
}
