import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import Outbox

extension CommandProcessor {
    /// The outcome of a record that was processed a second time.
    enum Replayed: Hashable, Sendable {
        /// It took effect: the facts that are published now.
        case processed([String])
        /// It took effect before: nothing changes. A charge keeps its outcome.
        case known(String)
        /// It still cannot be processed.
        case setAside(String)
    }

    /// Processes again a record that was set aside, by the same steps. The watermark stays where it is.
    ///
    /// - Throws: ``ReplayError``, or what ``process(_:of:from:)`` throws.
    func replay(_ record: KafkaRecord) async throws -> Replayed {
        let partition = record.topicPartition.partition
        let command = IncomingCommand(record)
        guard let order = command.order else {
            switch command.reading {
            case .unreadable(let reason), .newer(let reason): return .setAside(reason)
            default: return .setAside("it names no order")
            }
        }
        let (result, known, time) = try await transactions.withBatch { batch in
            var opened = try await batch.open(
                [partition: nil], [OrderStore.Place(order: order, partition: partition)],
                chargedBy: [command.payment].compactMap(\.self))
            guard let watermark = opened.watermarks[partition], record.offset < watermark.next else {
                let next = opened.watermarks[partition]?.next ?? 0
                throw ReplayError("the gateway has not read it yet; its consumer stands at P\(partition)@\(next)")
            }
            let known = opened.locked.orders[order]?.machine
            var result = BatchResult()
            do throws(CommandWait) {
                try process(
                    command, in: partition, mayHaveBeenSent: record.offset < watermark.mark, &opened.locked,
                    &opened.charging, &result)
            } catch {
                result.reasons.append(error.description)
            }
            // It is among the dead letters already.
            let rows = result.rows.filter { $0.topic != Topic.charges.deadLetters.name }
            let time = opened.locked.time
            try await batch.save(Array(opened.locked.orders.values), rows, at: time)
            return (result, known, time)
        }
        for (order, actions) in result.done { telemetry.record(actions, of: order, at: time) }
        if let (_, actions) = result.done.first { return .processed(actions.compactMap(\.factName)) }
        if let reason = result.reasons.first { return .setAside(reason) }
        let phase = command.payment.flatMap { payment in
            known?[OperationID(chargeOf: payment, order: order)]?.state.phase.rawValue
        }
        return .known(phase ?? "answered")
    }
}

/// Why a record cannot be processed again now.
struct ReplayError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String

    init(_ reason: String) { description = reason }
}

extension Action {
    /// The name of the fact that it publishes.
    fileprivate var factName: String? {
        guard case .record(let fact) = self else { return nil }
        if case .commandRejected(let rejected) = fact { return "rejected: \(rejected.reason.rawValue)" }
        guard case .payment(let payment) = fact else { return fact.type }
        switch payment.event {
        case .declined(let reason, _): return "declined: \(reason.rawValue)"
        case .refused(let reason): return "refused: \(reason.rawValue)"
        default: return payment.event.name
        }
    }
}
