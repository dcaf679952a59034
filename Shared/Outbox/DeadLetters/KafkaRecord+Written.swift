import Contracts
import KafkaBridge

extension KafkaRecord {
    /// When the record was written, as its writer says: any number can stand there.
    var written: Timestamp {
        let (microseconds, isTooLarge) = timestamp.multipliedReportingOverflow(by: 1_000)
        return Timestamp(microseconds: isTooLarge ? 0 : microseconds)
    }
}
