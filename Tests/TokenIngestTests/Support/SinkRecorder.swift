import KafkaBridge
import OrchardServiceKit
import TestSupport
import Testing

@testable import TokenIngest

/// Replaces Kafka: stores what was sent, or refuses it.
final class SinkRecorder: RecordSink {
    private struct State {
        var messages: [KafkaMessage] = []
        var error: KafkaError?
        var gate: Gate?
    }

    private let state = Locked(State())

    var messages: [KafkaMessage] { state.withLock { $0.messages } }

    /// Everything that was sent, as text.
    var text: String {
        messages.flatMap { [$0.key ?? [], $0.value] + $0.headers.map { Array(($0.text ?? "").utf8) } }
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }

    /// From now on every send ends with this error.
    func fail(with error: KafkaError?) { state.withLock { $0.error = error } }

    /// From now on every send waits until the gate opens.
    func wait(for gate: Gate?) { state.withLock { $0.gate = gate } }

    func send(_ message: KafkaMessage) async throws(KafkaError) -> Delivery {
        await state.withLock { $0.gate }?.wait()
        await #expect(throws: Never.self) {
            let fault = try await Descriptions.fault(
                ofRecord: message.value, key: message.key ?? [],
                headers: message.headers.map { ($0.name, $0.text ?? "") },
                on: message.topic)
            #expect(fault == "")
        }
        let outcome = state.withLock { state -> Result<Int64, KafkaError> in
            if let error = state.error { return .failure(error) }
            state.messages.append(message)
            return .success(Int64(state.messages.count))
        }
        return Delivery(
            topicPartition: TopicPartition(message.topic, message.partition),
            offset: try outcome.get())
    }
}
