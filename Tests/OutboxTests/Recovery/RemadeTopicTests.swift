import Contracts
import KafkaBridge
import Testing

@testable import Outbox

@Suite("A topic of dead letters that was made anew", .timeLimit(.minutes(4)))
struct RemadeTopicTests {
    private static let letters = Topic.journal.deadLetters.name

    @Test("holds up its own stream only, is named with the command, and goes on when that was run")
    func goesOn() async throws {
        try await ReadingService.with { service in
            try await service.pipeline.insert(["x"], topic: Self.letters)
            try await service.publish()
            // The log that acknowledged the letter was longer than the one that is there now.
            try await service.asOwner(
                "UPDATE shop.outbox_streams SET last_offset = 40 WHERE topic = '\(Self.letters)'")
            #expect(try await service.start() == 0, "the partition goes on")
            try await service.pipeline.insert(["y"], topic: Self.letters)
            let outbox = try await service.publish(with: service.recovery)
            #expect(outbox?.reason.contains("\(Self.letters)/0 ends at offset 1") == true)
            #expect(outbox?.reason.contains("`shop recover --restored`") == true)
            #expect(try await service.recovery.streams(of: 0).first == .compared(events: 0))
            #expect(try await service.recovery.streams(of: 0).contains { $0.isAhead } == false)

            #expect(try await service.recovery.recover(0) == nil, "nobody has said that it goes on")
            #expect(try await service.recovery.recover(0, isRestored: true)?.left.isEmpty == true)
            #expect(try await service.publish()?.isReady == true)
            #expect(try await service.pipeline.waiting() == 0)
            let stream = TopicPartition(Self.letters, 0)
            #expect(try await service.recovery.head(of: stream) == StreamHead(sequence: 2, offset: 1))
        }
    }
}
