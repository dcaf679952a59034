import Charging
import Contracts
import OrchardPostgres
import Testing

@testable import ChargeGateway

extension TestGateway {
    /// The order's facts in the outbox, in the order they were written.
    func facts(of order: OrderID) async throws -> [Fact] {
        try await owner.query(
            "SELECT headers, value FROM gateway.outbox WHERE topic = $1 AND key = $2 ORDER BY position",
            [Topic.journal.name, Array(order.description.utf8)]
        ).map { row in
            let type = try row.string("headers").split(separator: "\n").first { $0.hasPrefix("ce_type: ") }
            return try Fact(type: String(type?.dropFirst(9) ?? ""), value: row.bytes("value"))
        }
    }

    /// The words of the order's facts.
    func story(of order: OrderID) async throws -> [String] {
        try await facts(of: order).map(\.summary)
    }

    /// The story without the word that only a slow machine tells.
    func turns(of order: OrderID) async throws -> [String] {
        try await story(of: order).filter { $0 != "unknown" }
    }

    /// Waits until the order's story ends with these words.
    func wait(
        for expected: String, of order: OrderID, atMost limit: Duration = .seconds(120),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let deadline = ContinuousClock.now + limit
        var story: [String] = []
        while ContinuousClock.now < deadline {
            story = try await self.story(of: order)
            if story.last == expected { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("the story is \(story), it should end with \(expected)", sourceLocation: sourceLocation)
    }

    /// A column of the only operation of the order, as text.
    func column(_ name: String, of order: OrderID) async throws -> String? {
        let rows = try await owner.query(
            "SELECT (\(name))::text AS value FROM gateway.operations WHERE order_id = $1", [order])
        return try #require(rows.first).optionalString("value")
    }

    /// How many rows a query counts.
    func count(_ sql: String) async throws -> Int64 {
        let rows = try await owner.query("SELECT count(*) AS n FROM \(sql)")
        return try #require(rows.first).int64("n")
    }

    /// Ends each session that commits a change of a table, so that nobody knows whether it is committed.
    func endSessions(afterChanging table: String) async throws {
        try await owner.script(
            """
            CREATE FUNCTION gateway.die() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
                BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER die AFTER INSERT OR UPDATE ON \(table) DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION gateway.die();
            """)
    }
}

extension Fact {
    /// The fact in a few words.
    var summary: String {
        switch self {
        case .payment(let payment):
            switch payment.event {
            case .declined(let reason, _): "declined: \(reason.rawValue)"
            case .refused(let reason): "refused: \(reason.rawValue)"
            default: payment.event.name
            }
        case .orderClosed(let closed): "closed: \(closed.reason.rawValue)"
        case .commandRejected(let rejected): "rejected: \(rejected.reason.rawValue)"
        case .followUp(let followUp):
            if case .failed(let reason, _) = followUp.event {
                "\(followUp.kind.rawValue) failed: \(reason.rawValue)"
            } else {
                "\(followUp.kind.rawValue) \(followUp.event.kind.rawValue)"
            }
        default: type
        }
    }
}

extension OperationMachine {
    /// Of an operation that is a charge.
    var charge: Charge {
        guard let charge = subject.charge else { preconditionFailure("it follows a charge") }
        return charge
    }
}
