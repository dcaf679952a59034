import CRDKafka

/// Counts the delivery reports of one batch and wakes its sender once.
///
/// The opaque pointer of message *i* is slot *i*, so a report needs no look-up and a batch one allocation. It is used
/// on the producer's thread. The sender waits for every report and holds it until then.
final class DeliveryTicket {
    struct Slot {
        let ticket: Unmanaged<DeliveryTicket>
        var partition: Int32 = -1
        var offset: Int64 = -1
        var error = RD_KAFKA_RESP_ERR__IN_PROGRESS
    }

    private let slots: UnsafeMutablePointer<Slot>
    private let count: Int
    private var missing: Int
    private var continuation: CheckedContinuation<Void, Never>?

    init(count: Int) {
        missing = count
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: Slot(ticket: .passUnretained(self)), count: count)
    }

    deinit { slots.deallocate() }

    /// What message `index` carries through librdkafka.
    func opaque(_ index: Int) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(slots + index) }

    /// The outcomes in the order of the messages; to be read when ``wait(isolation:)`` has returned.
    var outcomes: UnsafeBufferPointer<Slot> { UnsafeBufferPointer(start: slots, count: count) }

    /// The report of a message.
    static func report(_ message: rd_kafka_message_t) {
        guard let slot = message._private?.assumingMemoryBound(to: Slot.self) else { return }
        slot.pointee.partition = message.partition
        slot.pointee.offset = message.offset
        slot.pointee.error = message.err
        slot.pointee.ticket.takeUnretainedValue().settleOne()
    }

    /// A message that librdkafka did not accept.
    func refuse(_ index: Int, _ error: rd_kafka_resp_err_t) {
        slots[index].error = error
        settleOne()
    }

    private func settleOne() {
        missing -= 1
        guard missing == 0 else { return }
        continuation?.resume()
        continuation = nil
    }

    /// Returns when each message is delivered or has failed.
    func wait(isolation: isolated (any Actor)) async {
        guard missing > 0 else { return }
        await withCheckedContinuation(isolation: isolation) { continuation = $0 }
    }
}
