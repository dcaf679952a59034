import OrchardServiceKit
import TestSupport
import Testing

@Suite("traceparent, W3C Trace Context")
struct TraceContextTests {
    static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("the standard's example is parsed and written unchanged")
    func example() throws {
        let context = try #require(TraceContext(traceparent: Self.example))
        #expect(context.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanID == "00f067aa0ba902b7")
        #expect(context.flags == 1)
        #expect(context.traceparent == Self.example)
    }

    @Test(
        "refused",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-1",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func refused(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test("a later version's further fields are dropped")
    func laterVersion() {
        let later = "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-ever"
        #expect(TraceContext(traceparent: later)?.traceparent == Self.example)
    }

    @Test("a child keeps the trace and gets its own span")
    func child() {
        let parent = TraceContext.random()
        let child = parent.child()
        #expect(child.traceID == parent.traceID)
        #expect(child.spanID != parent.spanID)
        #expect(TraceContext(traceparent: child.traceparent) == child)
    }

    @Test("log lines inside a context have its identifiers")
    func logged() {
        let recorder = LogRecorder()
        TraceContext.$current.withValue(TraceContext(traceparent: Self.example)) {
            recorder.logger.info("inside", ["order_id": "1"])
        }
        recorder.logger.info("outside")
        #expect(
            recorder.lines.map(\.metadata) == [
                [
                    "order_id": "1", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7",
                ], [:],
            ])
    }
}
