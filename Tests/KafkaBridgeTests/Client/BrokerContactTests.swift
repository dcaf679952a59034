import OrchardServiceKit
import TestSupport
import Testing

@testable import KafkaBridge

@Suite("BrokerContact")
struct BrokerContactTests {
    @Test("an outage names the addresses, not librdkafka's count of them, and is logged once")
    func outage() {
        let recorder = LogRecorder()
        var contact = BrokerContact("kafka.example:9092", logger: recorder.logger)
        let isNew = [contact.lostAll(), contact.lostAll()]
        #expect(isNew == [true, false])
        #expect(contact.reason == "Kafka cannot be reached: no broker answers at kafka.example:9092")
        contact.reached()
        #expect(recorder.lines.map(\.level) == [.error, .notice])
    }
}
