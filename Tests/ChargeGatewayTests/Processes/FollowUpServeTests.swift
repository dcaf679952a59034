import Contracts
import Foundation
import OrchardJSON
import OrchardPostgres
import SandboxAcquirer
import TestSupport
import Testing

@testable import ChargeGateway

@Suite(
    "charge-gateway serve, as a real process, killed between two steps of a refund", .serialized,
    .timeLimit(.minutes(15)))
struct FollowUpServeTests {
    /// Where the process dies.
    enum Moment: String, CaseIterable {
        /// The database has the intent, and the process has not heard of it: nothing was sent.
        case intentCommitted
        /// The acquirer has the request, and has not looked at it.
        case received
        /// The acquirer has given the money back, and has not said so.
        case booked
        /// The process has the acquirer's answer, and the database does not get it.
        case answered
    }

    // Failure scenarios 3, 4.
    @Test("gives the money back once, and tells the end", arguments: Moment.allCases)
    func refund(moment: Moment) async throws {
        try await Self.killed(at: moment, isLate: false)
    }

    // Failure scenarios 23, 34.
    @Test("gives a late success back once, by itself, and tells the end", arguments: Moment.allCases)
    func lateSuccess(moment: Moment) async throws {
        try await Self.killed(at: moment, isLate: true)
    }

    /// - Parameter isLate: whether the acquirer calls the sale failed although it took the money, so that it is given back by
    ///   itself; else the shop asks for it.
    private static func killed(at moment: Moment, isLate: Bool) async throws {
        try await TestDeployment.with { deployment in
            let amount: Int64 = isLate ? 10_942 : 12_345
            let charge = try deployment.shop.charge(Shop.order(), amount: amount)
            let first = try deployment.gateway()
            if !isLate {
                try await deployment.publish([.charge(charge)])
                try await first.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
            }
            try await deployment.stop(at: moment)
            try await deployment.publish(
                [isLate ? .charge(charge) : .signed(try deployment.shop.follow(.refund, charge, amount))])
            try await first.until { try await deployment.hasStopped(at: moment) }
            first.signal(SIGKILL)
            _ = try await first.status()
            try await deployment.goOn(from: moment)

            let second = try deployment.gateway()
            try await second.until { try await deployment.journal()[charge.order]?.last == "refund succeeded" }
            let facts = try await deployment.journal()[charge.order, default: []]
            #expect(
                facts.filter { !$0.hasSuffix("unknown") }
                    == ["accepted", isLate ? "lateSuccess" : "succeeded", "refund accepted", "refund succeeded"])
            let book = try await deployment.acquirer.control("GET book").array ?? []
            let refunds = book.filter { $0["kind"]?.string == "04" && $0["state"]?.string == "success" }
            #expect(refunds.map { $0["amount"]?.integer } == [amount])
            #expect(book.filter { $0["kind"]?.string == "01" }.map { $0["refunded"]?.integer } == [amount])
            // What was booked is found by a query: nothing is sent again.
            if moment == .booked || moment == .answered { #expect(refunds.map { $0["repeats"]?.integer } == [0]) }
            second.signal(SIGTERM)
            #expect(try await second.status() == 0, "\(second.log.suffix(2_000))")
        }
    }
}

extension TestDeployment {
    /// The advisory lock that transactions wait for.
    private static let lock = 4_711

    /// Makes the next refund wait where the process is to die: at the acquirer, or inside a transaction.
    ///
    /// A transaction waits as long as it is told to: a group's limit for a lock would end it after its process, on a machine
    /// that needs longer to see the process end, and nobody would commit the intent.
    fileprivate func stop(at moment: FollowUpServeTests.Moment) async throws {
        switch moment {
        case .received, .booked:
            _ = try await acquirer.control(
                "POST hold",
                body: .object([
                    JSONMember("count", .integer(1)), JSONMember("stage", .string(moment.rawValue)),
                    JSONMember("txnType", .string("04")),
                ]))
        case .intentCommitted, .answered:
            let trigger =
                moment == .answered
                ? "TRIGGER wait BEFORE INSERT OR UPDATE ON gateway.follow_ups FOR EACH ROW WHEN (NEW.phase NOT IN ('created', 'submitting'))"
                : """
                CONSTRAINT TRIGGER wait AFTER INSERT OR UPDATE ON gateway.follow_ups DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW WHEN (NEW.phase = 'submitting')
                """
            try await owner.script(
                """
                CREATE FUNCTION public.wait() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
                    $$ BEGIN PERFORM pg_advisory_xact_lock_shared(\(Self.lock)); RETURN NEW; END $$;
                CREATE \(trigger) EXECUTE FUNCTION public.wait();
                SELECT pg_advisory_lock(\(Self.lock));
                """)
        }
    }

    fileprivate func hasStopped(at moment: FollowUpServeTests.Moment) async throws -> Bool {
        switch moment {
        case .received, .booked: try await acquirer.control("GET held").array?.count == 1
        case .intentCommitted, .answered: try await waiting().count == 1
        }
    }

    /// Lets go on what waits. The transaction of an intent is committed; that of an answer is lost with its process.
    fileprivate func goOn(from moment: FollowUpServeTests.Moment) async throws {
        switch moment {
        case .received, .booked: _ = try await acquirer.control("POST release")
        case .intentCommitted: try await release()
        case .answered:
            for backend in try await waiting() {
                _ = try await owner.query("SELECT pg_terminate_backend($1)", [backend])
            }
            try await eventually { try await waiting().isEmpty }
            try await release()
        }
        guard moment == .intentCommitted else { return }
        let committed = "SELECT count(*) AS n FROM gateway.follow_ups WHERE phase = 'submitting'"
        try await eventually { try await owner.query(committed)[0].int64("n") > 0 }
        #expect(try await acquirer.control("GET book").array?.count == 1, "nothing was sent")
    }

    private func release() async throws {
        _ = try await owner.query("SELECT pg_advisory_unlock($1)", [Int64(Self.lock)])
    }

    /// The database's processes whose transactions wait for the lock.
    private func waiting() async throws -> [Int32] {
        try await owner.query(
            """
            SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """
        ).map { try $0.int32("pid") }
    }
}
