import Charging
import Contracts

/// A connector whose acquirer tells by file what it did on a day.
public protocol SettlementSource: Acquirer {
    /// When its days end.
    var settlementCalendar: SettlementCalendar { get }

    /// Whether files of the account can be fetched: the address is configured.
    func settlesByFile(_ account: String) -> Bool

    /// Fetches the file of a day, once.
    ///
    /// - Parameter time: now; certificates of the answer must be valid then.
    func fetchSettlement(of account: String, on date: SettlementDate, at time: Timestamp) async -> SettlementAnswer

    /// Reads a file that was fetched, and checks it whole. It does no input or output, so that a kept file gives the same
    /// for ever.
    func settlementFile(
        _ content: [UInt8], of account: String, on date: SettlementDate
    ) throws(SettlementFileError) -> SettlementFile
}

/// What came of the fetch of a settlement file.
public enum SettlementAnswer: Hashable, Sendable {
    /// The acquirer's own file, as it came; not read yet.
    case file([UInt8])
    /// The acquirer has none of this day: not yet, or there was nothing to settle.
    case noFile
    /// No verified answer, or one that says nothing of the file.
    case failed(reason: String)
    /// The set-up is wrong; a person must mend it.
    case misconfigured(reason: String)
}
