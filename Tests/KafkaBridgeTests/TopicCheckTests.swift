import OrchardServiceKit
import TestSupport
import Testing

@testable import KafkaBridge

@Suite(.timeLimit(.minutes(10))) struct TopicCheckTests {
    private let check = TopicCheck([
        TopicSpecification(name: "a", partitions: 4, settings: ["retention.ms": "10", "segment.ms": "5"]),
        TopicSpecification(name: "b", partitions: 4, settings: ["retention.ms": "-1"]),
        TopicSpecification(name: "c", partitions: 4),
    ])
    private let good: [String: TopicCheck.Settings] = [
        "a": .success(["retention.ms": "10", "segment.ms": "5", "cleanup.policy": "delete"]),
        "b": .success(["retention.ms": "-1"]),
    ]

    @Test func `topics that are as they must be give no problem, nor do partitions too many`() {
        #expect(check.problems(partitions: ["a": 4, "b": 12, "c": 4, "other": 1], settings: good).isEmpty)
    }

    @Test func `every problem is reported at once`() {
        var settings = good
        settings["a"] = .success(["retention.ms": "11"])
        let problems = check.problems(partitions: ["a": 3, "b": 4], settings: settings)
        #expect(
            problems == [
                .fewerPartitions(topic: "a", found: 3, wanted: 4),
                .setting(topic: "a", name: "retention.ms", found: "11", wanted: "10"),
                .setting(topic: "a", name: "segment.ms", found: "nothing", wanted: "5"),
                .missing(topic: "c"),
            ])
        #expect(!problems.contains { !$0.preventsStart })
    }

    @Test func `settings that the broker does not tell are said, and stop no start`() {
        var settings = good
        settings["b"] = .failure(KafkaError(.unsupported, "no controller"))
        let problems = check.problems(partitions: ["a": 4, "b": 4, "c": 4], settings: settings)
        #expect(problems == [.unknownSettings(topic: "b", reason: "no controller")])
        #expect(!problems[0].preventsStart)
    }

    @Test func `a start waits for topics that are missing, and goes on when they come`() async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic()
        let (admin, readiness) = (try cluster.admin(), Readiness())
        func monitor(_ name: String, _ partitions: Int32) -> TopicMonitor {
            TopicMonitor(
                TopicCheck([TopicSpecification(name: name, partitions: partitions)]), on: admin, readiness: readiness)
        }
        try await monitor(topic, 4).wait()
        let late = topic + "-late"
        async let waiting: Void = monitor(late, 4).wait()
        try await eventually {
            readiness.report.components["topics"]?.reason.contains("\(late) does not exist") == true
        }
        try await cluster.create(late)
        try await waiting
        #expect(readiness.report.isReady)
    }

    @Test(arguments: [(4, true), (5, false)] as [(Int32, Bool)])
    func `a service that waits says which topic it waits for`(_ wanted: Int32, _ isReady: Bool) async throws {
        let cluster = try await TestCluster.shared
        let topic = try await cluster.topic()
        let readiness = Readiness()
        let monitor = TopicMonitor(
            TopicCheck([TopicSpecification(name: topic, partitions: wanted)]), on: try cluster.admin(),
            readiness: readiness)
        let running = Task { try await monitor.run() }
        var reason = ""
        try await eventually {
            guard let component = readiness.report.components["topics"] else { return false }
            reason = component.reason
            return component.isReady == isReady && !reason.contains("not seen")
        }
        #expect(reason.contains("has 4 partitions and needs 5") == !isReady)
        running.cancel()
        _ = try? await running.value
    }
}
