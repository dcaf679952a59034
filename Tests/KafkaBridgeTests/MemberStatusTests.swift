import Testing

@testable import KafkaBridge

@Suite("The status of a member")
struct MemberStatusTests {
    private static let partition = TopicPartition("facts", 6)

    private static func reading() -> MemberStatus {
        var status = MemberStatus()
        status.joined()
        status.starts(partition)
        status.began(partition)
        return status
    }

    @Test("is ready when its partitions have begun")
    func ready() {
        #expect(!MemberStatus().isReady)
        #expect(Self.reading().isReady && Self.reading().reason == "reads its partitions")
    }

    @Test("names a partition that cannot be read, until something comes of it: librdkafka goes on by itself")
    func unreadable() {
        var status = Self.reading()
        status.cannotRead(Self.partition, "unknown: the broker failed", mayPass: true)
        #expect(!status.isReady && status.isUnreadable(Self.partition))
        #expect(status.reason == "facts/6: unknown: the broker failed")
        let others = status.reads(TopicPartition("facts", 7))
        #expect(!others && !status.isReady)
        let isNew = status.reads(Self.partition)
        #expect(isNew && status.isReady && !status.isUnreadable(Self.partition))
        let isNewAgain = status.reads(Self.partition)
        #expect(!isNewAgain)
    }

    @Test("names a partition of which records may have been passed over until it leaves, whatever comes")
    func damaged() {
        var status = Self.reading()
        status.cannotRead(Self.partition, "bad message", mayPass: false)
        let isNew = status.reads(Self.partition)
        #expect(!isNew && !status.isReady && status.isUnreadable(Self.partition))
        status.gaveBack([Self.partition])
        #expect(status.isReady)
    }

    @Test("names a silent partition until something comes of it, or it leaves")
    func silent() {
        var status = Self.reading()
        status.fallsSilent(Self.partition)
        #expect(!status.isReady && status.reason.hasPrefix("facts/6: nothing comes of it"))
        let wasUnreadable = status.reads(Self.partition)
        #expect(!wasUnreadable && status.isReady)
        status.fallsSilent(Self.partition)
        status.gaveBack([Self.partition])
        #expect(status.isReady)
    }
}
