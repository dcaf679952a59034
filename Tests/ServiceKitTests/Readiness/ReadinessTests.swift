import OrchardServiceKit
import TestSupport
import Testing

@Suite("Readiness")
struct ReadinessTests {
    @Test("ready when every part is")
    func parts() {
        let readiness = Readiness()
        readiness.set("kafka", ready: false, reason: "no broker answers")
        readiness.set("postgres", ready: true, reason: "connected")
        #expect(!readiness.report.isReady)
        #expect(readiness.report.components["kafka"]?.reason == "no broker answers")
        readiness.set("kafka", ready: true, reason: "metadata seen")
        #expect(readiness.report.isReady)
    }

    @Test("a change is logged once, a repetition not at all")
    func logged() {
        let recorder = LogRecorder()
        let readiness = Readiness(logger: recorder.logger)
        for ready in [false, false, true, true, false] {
            readiness.set("kafka", ready: ready, reason: ready ? "metadata seen" : "no broker answers")
        }
        #expect(recorder.lines.map(\.level) == [.warning, .notice, .warning])
        #expect(recorder.lines.last?.message == "kafka is not ready: no broker answers")
    }

    @Test("another reason is a change, unless only its numbers differ")
    func reasons() {
        let recorder = LogRecorder()
        let readiness = Readiness(logger: recorder.logger)
        readiness.set("postgres", ready: false, reason: "the connection was refused")
        readiness.set("postgres", ready: false, reason: "password authentication failed")
        readiness.set("lag", ready: false, reason: "waits at offset 17")
        readiness.set("lag", ready: false, reason: "waits at offset 200")
        #expect(recorder.lines.map(\.level) == [.warning, .warning, .warning, .debug])
        #expect(recorder.lines[1].message == "postgres is not ready: password authentication failed")
    }

    @Test("a healthy start logs no warning: a part that has only begun is no problem")
    func begin() {
        let recorder = LogRecorder()
        let readiness = Readiness(logger: recorder.logger)
        readiness.begin("kafka", reason: "no broker has answered yet")
        #expect(!readiness.report.isReady)
        readiness.set("kafka", ready: false, reason: "no broker has answered yet")
        readiness.set("kafka", ready: true, reason: "Kafka answers")
        #expect(recorder.lines.map(\.level) == [.info, .notice])
    }
}
