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
}
