import Contracts
import KafkaBridge
import OrchardServiceKit
import Testing

@testable import Outbox

@Suite("A dead letter topic that was recreated", .timeLimit(.minutes(4)))
struct RemadeTopicTests {
    private static let letters = Topic.journal.deadLetters.name

    @Test("stops only its own stream, is reported with the command, and continues after the command was run")
    func goesOn() async throws {
        try await ReadingService.with { service in
            try await service.pipeline.insert(["x"], topic: Self.letters)
            try await service.publish()
            // The log that acknowledged the dead letter was longer than the present one.
            try await service.asOwner(
                "UPDATE shop.outbox_streams SET last_offset = 40 WHERE topic = '\(Self.letters)'")
            #expect(try await service.start() == 0, "the partition continues")
            try await service.pipeline.insert(["y"], topic: Self.letters)
            let outbox = try await service.publish(with: service.recovery)
            #expect(outbox?.reason.contains("\(Self.letters)/0 ends at offset 1") == true)
            #expect(outbox?.reason.contains("`shop recover --restored`") == true)
            #expect(try await service.recovery.streams(of: 0).first == .compared(events: 0))
            #expect(try await service.recovery.streams(of: 0).contains { $0.isAhead } == false)

            #expect(try await service.recovery.recover(0) == nil, "no operator has confirmed this database")
            #expect(try await service.recovery.recover(0, isRestored: true)?.left.isEmpty == true)
            #expect(try await service.publish()?.isReady == true)
            #expect(try await service.pipeline.waiting() == 0)
            let stream = TopicPartition(Self.letters, 0)
            #expect(try await service.recovery.head(of: stream) == StreamHead(sequence: 2, offset: 1))
        }
    }
}

@Suite("A topic that is read and was recreated", .timeLimit(.minutes(4)))
struct RemadeInboxTests {
    @Test("is never read from the old offset, however long it is, but from its beginning after recover --restored")
    func isRefused() async throws {
        try await ReadingService.with { service in
            try await service.pipeline.insert((1...8).map { "event \($0)" })
            try await service.publish()
            try await service.take()
            #expect(try await service.start() == 10)

            let anew = try service.withNewTopics()
            // Another namespace counts as another cluster; a recreated topic belongs to the same one.
            let cluster = try await anew.recovery.admin.clusterID()
            try await service.asOwner("UPDATE shop.inbox_watermarks SET cluster_id = '\(cluster)'")
            try await anew.send(foreign: 5)
            let shorter = await #expect(throws: InboxError.self) { try await anew.start() }
            #expect(shorter?.code == .logBehind && shorter?.reason.contains("`shop recover --restored`") == true)
            try await anew.send(foreign: 10)
            let grown = await #expect(throws: InboxError.self) { try await anew.start() }
            #expect(grown?.code == .refused && grown?.reason == shorter?.reason)
            // Nor when no check ran while it was short.
            try await service.asOwner("UPDATE shop.inbox_watermarks SET refusal = NULL")
            let unseen = await #expect(throws: InboxError.self) { try await anew.start() }
            #expect(unseen?.code == .logBehind)
            #expect(unseen?.reason.contains("another record at offset 9") == true)

            // An earlier recovery's mark is a place in the former log.
            try await service.asOwner("UPDATE shop.inbox_watermarks SET mark = 1000")
            #expect(try await anew.recovery.recover(0, isRestored: true) != nil)
            #expect(try await anew.start() == 0)
            #expect(try await anew.mark() == 15)
        }
    }
}
