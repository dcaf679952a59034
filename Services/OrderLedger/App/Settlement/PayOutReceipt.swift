import Contracts
import Ledger

/// Takes a file of pay-outs into the outbox, whole or not at all.
struct PayOutReceipt {
    let publisher: SettlementPublisher

    /// - Returns: how many pay-outs were taken.
    /// - Throws: ``PayOutFile/Fault`` with the line that is wrong.
    func receive(
        _ bytes: [UInt8], owners: [String: [PayOutFile.Owner]], at now: Timestamp
    ) async throws -> Int {
        let file = try PayOutFile(bytes, owners: owners, today: SettlementDate(now, utcOffset: 8 * 3_600))
        let facts = file.payOuts.map { Fact.payOutReceived($0.payOut) }
        let known = try await publisher.known(facts)
        if let (line, payOut) = file.payOuts.first(where: { known.contains($0.payOut.id) }) {
            throw PayOutFile.Fault(line: line, "the pay-out \(payOut.reference) was received before")
        }
        try await publisher.publish(facts, at: now)
        return facts.count
    }
}
