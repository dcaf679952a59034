import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import Outbox

@Suite("A partition compared with its log", .timeLimit(.minutes(4)))
struct PartitionRecoveryTests {
    @Test("has lost nothing when another instance publishes while it is compared")
    func otherInstance() async throws {
        try await ReadingService.with { service in
            let before = try await service.recovery.head(of: ReadingService.partition)
            #expect(before?.sequence == 2)
            try await service.pipeline.insert(["c", "d"])
            try await service.publish()
            #expect(try await service.recovery.eventsAhead(in: ReadingService.partition, behind: before) == 0)
            try await service.forget()
            #expect(try await service.recovery.eventsAhead(in: ReadingService.partition, behind: nil) == 4)
        }
    }

    @Test("is compared when it is assigned, even without new records, and stops on an older database")
    func assigned() async throws {
        try await ReadingService.with { service in
            #expect(try await service.start() == 0)
            try await service.forget()
            let error = await #expect(throws: InboxError.self) { try await service.start() }
            #expect(error?.code == .watermarkBehind)
            #expect(error?.reason.contains("the log holds 2 events of shop") == true)
            let refusal = try await service.refusal()
            #expect(refusal?.contains("Run `shop recover --restored`") == true, "every instance sees it")
            let again = await #expect(throws: InboxError.self) { try await service.start() }
            #expect(again?.code == .refused)
            _ = try await service.recovery.recover(0, isRestored: true)
            #expect(try await service.start() == 0)
        }
    }

    @Test("is not refused for missing events when a standby was promoted during the comparison")
    func promotedMeanwhile() async throws {
        try await ReadingService.with { service in
            let server = try await service.recovery.situation(of: 0).server
            // The check began on the primary and read its numbers from the standby.
            try await service.forget()
            let refusal = try #require(try await service.recovery.numberRefusal(of: 0, on: server))
            try await service.asOwner("UPDATE shop.inbox_watermarks SET timeline = '00000000'")
            #expect(try await service.recovery.refuse(0, refusal) == false)
            #expect(try await service.refusal() == nil)
            _ = try await service.recovery.recover(0)
            #expect(try await service.recovery.refusal(of: 0) == nil)
            #expect(try await service.start() == 0)
            // Nor when the check began on a server that is gone.
            let gone = PartitionRecovery.Refusal(
                reason: refusal.reason,
                server: DatabaseServer(identifier: server.identifier, timeline: "00000000", objects: server.objects))
            #expect(try await service.recovery.refuse(0, gone) == false)
            #expect(try await service.refusal() == nil)
        }
    }

    @Test("stops when the database is replaced under a running process, even without new records")
    func replaced() async throws {
        try await ReadingService.with { service in
            let readiness = Readiness()
            try await withThrowingTaskGroup(of: Void.self) { group in
                let loop = RecoveryLoop(service.recovery, readiness: readiness, every: .milliseconds(20)) { _ in }
                group.addTask { try await loop.run() }
                defer { group.cancelAll() }
                // Another instance continues meanwhile.
                for id in ["c", "d", "e"] {
                    try await service.pipeline.insert([id])
                    try await service.publish()
                }
                try await Task.sleep(for: .milliseconds(200))
                #expect(try await service.refusal() == nil)
                try await service.forget()
                try await eventually { try await service.refusal() != nil }
                try await eventually { readiness.report.components["recovery"]?.isReady == false }
                let reason = readiness.report.components["recovery"]?.reason
                #expect(reason?.contains("Run `shop recover --restored`") == true)
            }
        }
    }
}

@Suite("The command recover", .timeLimit(.minutes(4)))
struct RecoveryRunTests {
    @Test("continues with the others when a partition cannot be checked", arguments: [false, true])
    func goesOn(isRestored: Bool) async throws {
        try await ReadingService.with { service in
            // The topic has four partitions.
            let run = RecoveryRun(try service.recoveryWithItsOwnPool(), partitions: 6)
            let lines = Locked<[String]>([])
            #expect(try await run.run(isRestored: isRestored) { line in lines.withLock { $0.append(line) } } == 1)
            let text = lines.withLock { $0 }
            #expect(text.count == 6, "\(text)")
            let notDone = isRestored ? "not recovered" : "not checked"
            #expect(text.map { $0.contains(notDone) } == [false, false, false, false, true, true], "\(text)")
        }
    }
}

@Suite("The line of a partition that recover could not finish")
struct RecoveryRunWordsTests {
    private static let inbox = Inbox(schema: "shop", topic: .journal, program: "shop")

    @Test(
        "advises to run it again when that helps",
        arguments: [
            (inbox.error(.fenced, "in use", 3), true), (inbox.error(.watermarkBehind, "behind", 3), false),
            (KafkaError(.timedOut, "no leader", isTransient: true), true), (KafkaError(.unsupported, "no"), false),
        ] as [(any Error, Bool)], [false, true])
    func advice(_ row: (error: any Error, helps: Bool), isRestored: Bool) {
        let text = RecoveryRun.text(row.error, 3, isRestored: isRestored)
        #expect(text.hasPrefix("partition 3: " + (isRestored ? "not recovered" : "not checked")))
        #expect(text.contains("run this again") == row.helps, "\(text)")
    }
}

@Suite("The reader of a partition that was recovered", .timeLimit(.minutes(4)))
struct RecoveredReaderTests {
    @Test("is informed once by the loop, whichever instance recovered it", arguments: [false, true])
    func published(byAnother: Bool) async throws {
        try await ReadingService.with { service in
            try await service.promote()
            let published = Locked<[Int32]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                let loop = RecoveryLoop(service.recovery, readiness: Readiness(), every: .milliseconds(20)) {
                    partition in published.withLock { $0.append(partition) }
                }
                group.addTask { try await loop.run() }
                defer { group.cancelAll() }
                // It may have begun to read before the recovery that came before the first check.
                try await eventually { published.withLock { $0 } == [0] }
                if byAnother {
                    _ = try await service.recovery.recover(0, isRestored: true)
                } else {
                    try await service.asOwner("UPDATE shop.inbox_watermarks SET timeline = '00000000'")
                }
                try await eventually { published.withLock { $0 } == [0, 0] }
                try await Task.sleep(for: .milliseconds(200))
                #expect(published.withLock { $0 } == [0, 0])
            }
        }
    }
}

@Suite("A batch that was in progress when the database lost its last transactions", .timeLimit(.minutes(4)))
struct LateEventTests {
    @Test("is applied by the relay when it arrives after the recovery, and its numbers are not given again")
    func relay() async throws {
        try await ReadingService.with { service in
            try await service.promote()
            try await service.send("c", number: 3)
            try await service.pipeline.insert(["d"])
            #expect(try await service.publish(with: service.recovery)?.isReady == true)
            let published = try await service.pipeline.published()
            #expect(published.map(\.id) == ["a", "b", "c", "d"] && published.map(\.number) == [1, 2, 3, 4])
        }
    }

    @Test("is applied when the partition is assigned")
    func assigned() async throws {
        try await ReadingService.with { service in
            try await service.promote()
            try await service.send("c", number: 3)
            #expect(try await service.start() == 0)
            #expect(try await service.recovery.head(of: ReadingService.partition)?.sequence == 3)
            #expect(try await service.refusal() == nil)
        }
    }

    @Test("is not assumed without a recent recovery: the database is an older one, and an operator decides")
    func tooLate() async throws {
        try await ReadingService.with { service in
            try await service.promote()
            try await service.asOwner(
                "UPDATE shop.inbox_recoveries SET recovered_at = recovered_at - interval '16 minutes'")
            try await service.send("c", number: 3)
            try await service.pipeline.insert(["d"])
            #expect(try await service.publish(with: service.recovery)?.reason.contains("recover") == true)
            #expect(try await service.recovery.applyLateEvents(of: 0) == false)
            await #expect(throws: InboxError.self) { try await service.start() }
        }
    }
}
