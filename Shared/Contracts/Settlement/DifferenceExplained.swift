import OrchardCrypto
import OrchardJSON

/// How our books and the acquirer's settlement file differ.
public enum DifferenceKind: String, Hashable, Sendable, CaseIterable {
    /// The file lacks a transaction that we know to have succeeded.
    case onlyOurs
    /// We do not know a row's transaction, do not know that it succeeded, or another row settled it.
    case onlyTheirs
    /// The row has another amount than our operation.
    case amountDiffers
    /// What a row pays is not its amount less its fee.
    case feeDiffers
    /// The row is in the file of another day than the transaction's own and the next.
    case dateDiffers
    /// The rows of a file do not add up to its sums.
    case fileDiffers
}

/// An operator's explanation of a difference. It ends the difference while that has this kind and amount.
public struct DifferenceExplained: Hashable, Sendable {
    /// The day whose reconciliation has the difference.
    public let day: SettlementDay
    public let difference: DifferenceID
    public let kind: DifferenceKind
    /// What is explained: theirs less ours, negative when the acquirer has less.
    public let amount: Money
    /// What the operator found out: at most ``Resolution/maximumReason`` bytes.
    public let reason: String
    /// Who the operator is: at most ``Resolution/maximumName`` bytes.
    public let by: String

    /// - Returns: nil when a text is empty, too long or has control characters.
    public init?(
        day: SettlementDay, difference: DifferenceID, kind: DifferenceKind, amount: Money, reason: String, by: String
    ) {
        guard Resolution(.paid, reason: reason, by: by) != nil else { return nil }
        (self.day, self.difference, self.kind, self.amount) = (day, difference, kind, amount)
        (self.reason, self.by) = (reason, by)
    }

    /// A difference of one kind and amount is explained once: the first explanation counts.
    public var id: EventID {
        day.eventID("difference explained", "\(difference) \(kind.rawValue) \(amount)")
    }
}

extension DifferenceID {
    /// The difference about one of our operations that the file lacks.
    public init(ours operation: OperationID, on day: SettlementDay) {
        self.init(event: day.eventID("difference of an operation", operation.description))
    }

    /// The difference about a row of a file, or about the file itself: the fact that the gateway told.
    public init(theirs fact: EventID, on day: SettlementDay) {
        self.init(event: day.eventID("difference of a row", fact.description))
    }

    private init(event: EventID) { self.init(hash: event.bytes) }
}

extension DifferenceExplained: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var day = SettlementDay.Reader()
        var (difference, kind, amount): (DifferenceID?, DifferenceKind?, Money?)
        var (reason, by): (String?, String?)
        try reader.object { reader, name throws(JSONError) in
            if try day.take(name, &reader) { return }
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "by": by = try reader.string(upTo: Resolution.maximumName)
            case "differenceId": difference = try reader.identifier()
            case "kind": kind = try reader.word()
            case "reason": reason = try reader.string(upTo: Resolution.maximumReason)
            default: try reader.skip()
            }
        }
        let explained = Self(
            day: try day.day(reader), difference: try reader.required(difference, "differenceId"),
            kind: try reader.required(kind, "kind"), amount: try reader.required(amount, "amount"),
            reason: try reader.required(reason, "reason"), by: try reader.required(by, "by"))
        guard let explained else { throw reader.error(.value, "a reason and a name in plain text are expected") }
        self = explained
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", day.account)
        object.member("acquirer", day.acquirer)
        object.object("amount") { amount.write(to: &$0) }
        object.member("by", by)
        object.member("date", day.date.description)
        object.member("differenceId", difference.description)
        object.member("kind", kind.rawValue)
        object.member("merchantId", day.merchant.description)
        object.member("reason", reason)
    }
}
