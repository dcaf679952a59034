import Testing

@testable import Contracts

@Suite("CloudEvents")
struct CloudEventTests {
    private let event = CloudEvent(
        Samples.fact(.lateSuccess(Samples.result)), source: "/charge-gateway", time: Samples.time,
        causation: Command.charge(Samples.charge()).id,
        traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")

    private func headers(of event: CloudEvent) -> [(name: String, value: [UInt8])] {
        event.headers.map { ($0.name, Array($0.value.utf8)) }
    }

    @Test("are read from their headers as they were written")
    func roundTrip() throws {
        #expect(try CloudEvent(headers: headers(of: event), value: event.data) == event)
        #expect(event.key == Array(Samples.order.description.utf8))
    }

    @Test("contain their position in an outbox's stream")
    func stream() throws {
        let position = [("ce_stream", Array("gateway".utf8)), ("ce_streamseq", Array("17".utf8))]
        let read = try CloudEvent(headers: headers(of: event) + position, value: event.data)
        #expect(read.stream == CloudEvent.Position(stream: "gateway", sequence: 17))
    }

    @Test(
        "without a header are refused with its name",
        arguments: ["ce_specversion", "ce_id", "ce_type", "ce_source", "ce_time", "ce_subject", "content-type"])
    func missing(name: String) {
        let cut = headers(of: event).filter { $0.name != name }
        #expect(throws: CloudEventError(.missingHeader, header: name)) { try CloudEvent(headers: cut, value: []) }
    }

    @Test(
        "with a malformed header are refused with its name",
        arguments: [
            ("ce_id", "xyz"), ("ce_time", "yesterday"), ("ce_subject", "12"), ("ce_causationid", "-"),
        ])
    func malformed(name: String, value: String) {
        let changed = headers(of: event).map { $0.name == name ? (name: name, value: Array(value.utf8)) : $0 }
        #expect(throws: CloudEventError(.malformedHeader, header: name)) { try CloudEvent(headers: changed, value: []) }
    }

    @Test("with a header twice, in another version or another content type are refused")
    func refused() {
        let twice = headers(of: event) + [("ce_id", Array(event.id.description.utf8))]
        #expect(throws: CloudEventError(.repeatedHeader, header: "ce_id")) { try CloudEvent(headers: twice, value: []) }
        let version = headers(of: event).map { $0.name == "ce_specversion" ? ($0.name, Array("0.3".utf8)) : $0 }
        #expect(throws: CloudEventError(.wrongVersion, header: "ce_specversion")) {
            try CloudEvent(headers: version, value: [])
        }
        let xml = headers(of: event).map { $0.name == "content-type" ? ($0.name, Array("text/xml".utf8)) : $0 }
        #expect(throws: CloudEventError(.wrongContentType, header: "content-type")) {
            try CloudEvent(headers: xml, value: [])
        }
    }
}
