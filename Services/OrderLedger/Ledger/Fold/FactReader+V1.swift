import Contracts
import OrchardJSON

extension FactType {
    /// The types that reader 1 knows.
    static let v1 = Set(
        [FactType.orderOpened, .orderRepriced, .orderClosed, .commandRejected]
            + [
                PaymentEvent.Kind.accepted, .refused, .succeeded, .declined, .unknown, .notCharged, .conflicted,
                .lateSuccess, .resolved,
            ].map { .payment($0) })
}

extension JournalEvent {
    /// Reader 1 could not read a rejected command whose reason came later.
    func checkReasonsOfV1() throws(UnreadableRecord) {
        guard case .commandRejected = fact else { return }
        do throws(JSONError) {
            try JSONReader.read(event.data) { reader throws(JSONError) in
                try reader.object { reader, member throws(JSONError) in
                    if member == "reason" {
                        let _: ReasonOfV1 = try reader.word()
                    } else {
                        try reader.skip()
                    }
                }
            }
        } catch {
            throw UnreadableRecord(error)
        }
    }

    private enum ReasonOfV1: String, CaseIterable {
        case chargeInProgress, orderPaid, orderClosed
    }
}
