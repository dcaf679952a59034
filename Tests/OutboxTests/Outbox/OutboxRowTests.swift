import Testing

@testable import Outbox

@Suite("A row of the outbox")
struct OutboxRowTests {
    @Test("keeps its headers as lines, for all values without a line break")
    func headers() {
        let headers = [("ce_type", "a"), ("empty", ""), ("colons", "a: b::"), ("wide", "é 你好"), ("return", "\r")]
        let row = OutboxRow(partition: 0, topic: "t", eventID: "e", key: [], headers: headers, value: [])
        #expect(row.headerLines.hasPrefix("ce_type: a\nempty: \ncolons: a: b::\n"))
        let read = OutboxRow.headers(fromLines: row.headerLines)
        #expect(read.map { $0.name } == headers.map(\.0) && read.map { $0.value } == headers.map(\.1))
    }

    @Test("refuses a header that would be read as two")
    func lineBreaks() async {
        await #expect(processExitsWith: .failure) {
            _ = OutboxRow(partition: 0, topic: "t", eventID: "e", key: [], headers: [("a", "b\r\nc: d")], value: [])
        }
    }
}
