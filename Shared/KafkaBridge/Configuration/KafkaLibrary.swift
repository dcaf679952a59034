import CRDKafka
import OrchardServiceKit

/// The librdkafka this process runs with.
public enum KafkaLibrary {
    /// The version as a number, `0x020002ff` for 2.0.2.
    public static var version: Int32 { rd_kafka_version() }

    /// The version as text.
    public static var versionText: String { rd_kafka_version_str().map { String(cString: $0) } ?? "unknown" }

    /// What a configuration asks for and this version is known not to do well; to be logged at start.
    ///
    /// - Parameter version: as ``version``.
    static func warnings(version: Int32, settings: [String: String]) -> [String] {
        var warnings: [String] = []
        let mechanism = settings["sasl.mechanism"] ?? settings["sasl.mechanisms"] ?? ""
        if mechanism.uppercased().hasPrefix("SCRAM"), version < 0x0206_01ff {
            warnings.append(
                "librdkafka before 2.6.1 repeats its SCRAM nonce and Kafka 4 refuses it as invalid credentials "
                    + "(librdkafka #4895): use client certificates, or SASL PLAIN over TLS")
        }
        if settings["partition.assignment.strategy"]?.contains("cooperative") == true, version < 0x020a_00ff {
            warnings.append(
                "cooperative-sticky before librdkafka 2.10 can lose an assignment (#4908) or loop (#4800): use range")
        }
        return warnings
    }
}
