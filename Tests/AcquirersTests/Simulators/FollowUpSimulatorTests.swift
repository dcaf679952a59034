import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardServiceKit
import SandboxAcquirer
import TestSupport
import Testing

@testable import Acquirers

/// Captures, voids and refunds before acquirers that keep a book, over real HTTP.
@Suite("Follow-ups before an acquirer")
struct FollowUpSimulatorTests {
    private func lifeOfAHold(_ simulator: Simulator) async throws {
        try await withShop(simulator) { shop in
            let hold = try await shop.charge("hold0001", 20_000, .authorisation)
            #expect(
                try await shop.follow(.capture, of: hold, 23_001) == ["failed originalState", "failed originalState"])
            let captured = try await shop.followed(.capture, of: hold, 23_000)
            #expect(try await shop.follow(.capture, of: hold, 1) == ["failed originalState", "failed originalState"])
            // Of the capture; the second names it by our own key.
            #expect(try await shop.follow(.refund, of: captured, 3_000) == ["accepted", "paid"])
            #expect(try await shop.follow(.refund, of: captured, 10_000, bySerial: false) == ["accepted", "paid"])
            #expect(
                try await shop.follow(.refund, of: captured, 10_001) == [
                    "failed originalState", "failed originalState",
                ])
            #expect(
                try await shop.follow(.void, .capture, of: captured, 23_000)
                    == ["failed originalState", "failed originalState"])
            #expect(try await shop.follow(.refund, of: captured, 10_000) == ["accepted", "paid"])
            // 45: only the query of our own key tells that this one gave nothing back.
            #expect(try await shop.follow(.refund, of: captured, 1) == ["alreadyReturned", "failed originalState"])

            let given = try await shop.charge("hold0002", 5_000, .authorisation)
            #expect(try await shop.follow(.void, .authorisation, of: given, 5_000) == ["accepted", "paid"])
            #expect(try await shop.follow(.capture, of: given, 5_000) == ["alreadyReturned", "failed originalState"])

            let again = try await shop.charge("hold0003", 5_000, .authorisation)
            let undone = try await shop.followed(.capture, of: again, 5_000)
            #expect(try await shop.follow(.void, .capture, of: undone, 5_000) == ["accepted", "paid"])
            #expect(try await shop.follow(.capture, of: again, 4_000) == ["accepted", "paid"])
        }
    }

    @Test("Holds, captures and refunds at the sandbox's acquirer", .timeLimit(.minutes(5)))
    func sandboxHold() async throws { try await lifeOfAHold(.sandbox) }

    @Test(
        "Holds, captures and refunds at the independent acquirer",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonHold() async throws { try await lifeOfAHold(.python) }

    private func voids(_ simulator: Simulator) async throws {
        try await withShop(simulator) { shop in
            let sales = [
                try await shop.charge("sale0001", 9_900), try await shop.charge("sale0002", 8_800),
                try await shop.charge("sale0003", 7_500, .authorisation),
            ]
            #expect(try await shop.follow(.void, .sale, of: sales[0], 9_900) == ["accepted", "paid"])
            #expect(
                try await shop.follow(.void, .sale, of: sales[0], 9_900) == ["alreadyReturned", "failed originalState"])
            try await shop.moveClock(toBeijingHour: 23)
            // Another UnionPay day: no void any more, but a refund. A hold has no such day.
            #expect(
                try await shop.follow(.void, .sale, of: sales[1], 8_800)
                    == ["failed originalState", "failed originalState"])
            #expect(try await shop.follow(.refund, of: sales[1], 8_800) == ["accepted", "paid"])
            #expect(try await shop.follow(.void, .authorisation, of: sales[2], 7_500) == ["accepted", "paid"])
        }
    }

    @Test("Voids before and after 23:00 at the sandbox's acquirer", .timeLimit(.minutes(5)))
    func sandboxVoids() async throws { try await voids(.sandbox) }

    @Test(
        "Voids before and after 23:00 at the independent acquirer",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonVoids() async throws { try await voids(.python) }

    /// What a refund of a part must come to when things go wrong: as a sale, but for the reasons of declines.
    private static let faults = Misbehaviour.all.filter {
        [700, 701, 702, 703, 705, 709, 710, 740, 742, 745, 803, 805, 812, 832, 860, 899, 904, 906, 960].contains(
            $0.number)
    }

    private static func ofRefund(_ text: String) -> String {
        guard text.hasPrefix("declined ") else { return text }
        return text == "declined configuration" ? "failed configuration" : "failed refused"
    }

    private func faults(_ simulator: Simulator) async throws {
        try await withShop(simulator) { shop in
            for fault in Self.faults {
                let sale = try await shop.charge("fault\(fault.number)", 50_000)
                let refund = try shop.followUp(.refund, of: sale, Int64(10_000 + fault.number))
                let outcome = await shop.send(refund, isPatient: !fault.mayTimeOut)
                #expect(outcome.matches(Self.ofRefund(fault.sale)), "\(fault.number): \(outcome.text)")
                let expected = fault.queries.map(Self.ofRefund)
                #expect(try await shop.queries(refund, until: expected) == expected, "\(fault.number)")
                guard expected.last == "notFound" else { continue }
                // Never arrived, or not taken: the key makes a repetition harmless.
                guard fault.number == 701 else { continue }
                #expect(await shop.send(refund).text == "accepted")
                #expect(await shop.send(refund).text == "alreadyKnown")
                #expect(try await shop.queries(refund, until: ["paid"]) == ["paid"])
            }
        }
    }

    @Test("Refunds that go wrong at the sandbox's acquirer", .timeLimit(.minutes(5)))
    func sandboxFaults() async throws { try await faults(.sandbox) }

    @Test(
        "Refunds that go wrong at the independent acquirer",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonFaults() async throws { try await faults(.python) }

    /// Runs `body` with a shop whose acquirer's clock shows noon.
    private func withShop(_ simulator: Simulator, _ body: @escaping @Sendable (SimulatedShop) async throws -> Void)
        async throws
    {
        let plain = try UnionPayFixture()
        try await simulator.run(plain.pki, in: plain.folder.url) { url in
            let client = HTTPClient()
            try await withService(client) {
                let shop = try SimulatedShop(pki: plain.pki, url: url, client: client)
                try await shop.moveClock(toBeijingHour: 12)
                try await body(shop)
            }
        }
    }
}
