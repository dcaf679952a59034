import CRDKafka
import OrchardServiceKit

/// What went wrong between this process and Kafka.
public struct KafkaError: TransientError, Sendable, CustomStringConvertible {
    /// Which kind of failure it is; compare with the constants of ``Code-swift.struct``.
    public let code: Code
    /// What happened and what to do, for a person. Never holds a key, value or header of a record.
    public let reason: String
    /// Whether the same call may succeed later without anybody changing anything.
    public let isTransient: Bool
    /// Whether the client is beyond use, so that the process should end and be started anew.
    public let isFatal: Bool

    public init(_ code: Code, _ reason: String, isTransient: Bool = false, isFatal: Bool = false) {
        self.code = code
        self.reason = reason
        self.isTransient = isTransient
        self.isFatal = isFatal
    }

    /// `sending to orchard.journal.v1/3: Local: Message timed out (Kafka's _MSG_TIMED_OUT)`.
    public var description: String { "\(reason) (Kafka's \(code))" }
}

extension KafkaError {
    /// Whether no broker could be reached at all.
    public var saysUnreachable: Bool { BrokerContact.codes.contains(code) }
}

extension KafkaError: Hashable {
    /// Errors are equal by code, whatever their reasons.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension KafkaError {
    /// An error of librdkafka or of the broker.
    init(_ error: rd_kafka_resp_err_t, _ context: String, isFatal: Bool = false) {
        let words = rd_kafka_err2str(error).map { String(cString: $0) } ?? "unknown error"
        let code = Code(rawValue: error.rawValue)
        let fatal = isFatal || code == .fatal
        self.init(code, "\(context): \(words)", isTransient: !fatal && Code.retriable.contains(code), isFatal: fatal)
    }

    /// Takes an error object over and frees it; `nil` when the call succeeded.
    init?(consuming error: OpaquePointer?, _ context: String) {
        guard let error else { return nil }
        defer { rd_kafka_error_destroy(error) }
        let fatal = rd_kafka_error_is_fatal(error) != 0
        let words = rd_kafka_error_string(error).map { String(cString: $0) } ?? "unknown error"
        let code = Code(rawValue: rd_kafka_error_code(error).rawValue)
        self.init(
            code, "\(context): \(words)",
            isTransient: !fatal && (rd_kafka_error_is_retriable(error) != 0 || Code.retriable.contains(code)),
            isFatal: fatal)
    }
}
