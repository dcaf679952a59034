import KafkaBridge
import Testing

@testable import Outbox

@Suite("The streams that relays name to each other")
struct StreamNamesTests {
    private static let streams: Set = [TopicPartition("shop.facts.v1", 0), TopicPartition("a/b", 7)]

    @Test("are read as they were written")
    func roundTrip() {
        #expect(StreamNames.text(Self.streams) == "a/b/7 shop.facts.v1/0")
        #expect(StreamNames.streams("a/b/7 shop.facts.v1/0") == Self.streams)
    }

    @Test("mean any stream when there are more than a payload holds")
    func many() {
        let few = Set((0..<300).map { TopicPartition("orchard.journal.v1", $0) })
        #expect(StreamNames.streams(StreamNames.text(few)) == few)
        let many = Set((0..<1_000).map { TopicPartition("orchard.journal.v1", $0) })
        #expect(StreamNames.text(many).isEmpty)
    }

    @Test(
        "mean any stream when they cannot be read",
        arguments: ["", " ", "x", "/", "a/", "a/x", "a/1 b", "a/99999999999", "é/1"])
    func unreadable(_ text: String) { #expect(StreamNames.streams(text) == nil) }
}
