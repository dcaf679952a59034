import Contracts

/// One row of the ledger: a record as read, what was made of it, and its link of the chain.
///
/// Every record makes a row but a known duplicate, which is only counted: rows = records read − duplicates, always.
public struct JournalRow: Hashable, Sendable {
    /// What was made of a record.
    public enum Disposition: String, Sendable, CaseIterable {
        /// Folded into its order.
        case applied
        /// Early: another producer's fact, or an earlier one, must come first.
        case parked
        /// It contradicts what is known; nothing changed.
        case refused
        /// No fact of ours; nothing changed.
        case unreadable
    }

    public let record: JournalRecord
    public let disposition: Disposition
    /// The envelope; nil for an unreadable record.
    public let event: CloudEvent?
    /// What the record posted, itself or by letting a waiting one go on.
    public let entries: [Entry]
    public let faults: [JournalFault]
    /// The chain's head after this row.
    public let hash: [UInt8]

    public init(
        record: JournalRecord, disposition: Disposition, event: CloudEvent?, entries: [Entry], faults: [JournalFault],
        after chain: inout HashChain
    ) {
        self.record = record
        self.disposition = disposition
        self.event = event
        self.entries = entries
        self.faults = faults
        hash = chain.append(
            Self.canonicalBytes(record: record, disposition: disposition, entries: entries, faults: faults))
    }

    /// What the chain hashes of a row, version 1.
    public static func canonicalBytes(
        record: JournalRecord, disposition: Disposition, entries: [Entry], faults: [JournalFault]
    ) -> [UInt8] {
        var bytes = CanonicalBytes(version: 1)
        bytes.append(Int64(record.position.partition))
        bytes.append(record.position.offset)
        bytes.append(record.key)
        bytes.append(record.headers) { bytes, header in
            bytes.append(header.name)
            bytes.append(header.value)
        }
        bytes.append(record.value)
        bytes.append(disposition.rawValue)
        bytes.append(entries) { bytes, entry in entry.append(to: &bytes) }
        bytes.append(faults) { bytes, fault in
            bytes.append(fault.source.offset)
            bytes.append(fault.code)
            bytes.append(fault.reason)
        }
        return bytes.bytes
    }
}
