import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import SandboxAcquirer
import SandboxBroker
import SandboxProcesses
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("charge-gateway serve, as a real process before a simulated UnionPay", .serialized, .timeLimit(.minutes(10)))
struct ServeTests {
    /// The acquirer's behaviour by the last three digits of the amount, and how the payment may end.
    static let ends: [(fen: Int64, ends: Set<String>)] = [
        (10_000, ["succeeded"]), (10_700, ["succeeded"]), (10_701, ["succeeded"]),
        (10_702, ["succeeded"]), (10_705, ["succeeded"]), (10_720, ["succeeded"]),
        (10_724, ["succeeded"]), (10_725, ["succeeded"]),
        // A notification of another amount: whether the query has told before it that money moved is a race.
        (10_734, ["conflicted", "succeeded"]),
        (10_740, ["succeeded"]), (10_743, ["declined: insufficientFunds"]), (10_803, ["succeeded"]),
        (10_806, ["succeeded"]), (10_810, ["declined: configuration"]), (10_812, ["succeeded"]),
        (10_863, ["declined: frozenCard"]), (10_864, ["declined: insufficientFunds"]), (10_906, ["succeeded"]),
        (10_965, ["declined: incorrectPIN"]),
    ]

    // Failure scenarios 1, 8, 12, 13, 18, 21, 22, 51.
    @Test("ends every payment as the acquirer's book has it, and nothing it writes holds card data")
    func day() async throws {
        try await TestDeployment.with { deployment in
            let gateway = try deployment.gateway()
            let charges = try Self.ends.map {
                (try deployment.shop.charge(Shop.order(in: .random(in: 0..<4)), amount: $0.fen), $0.ends)
            }
            try await deployment.publish(charges.map { .charge($0.0) })
            // Every command is delivered twice.
            try await deployment.publish(charges.map { .charge($0.0) })
            do {
                try await gateway.until {
                    let journal = try await deployment.journal()
                    return charges.allSatisfy { $0.1.contains(journal[$0.0.order]?.last ?? "") }
                        && gateway.log.contains("ALARM conflict")
                }
            } catch {
                let journal = try await deployment.journal()
                for ((charge, ends), (fen, _)) in zip(charges, Self.ends)
                where !ends.contains(journal[charge.order]?.last ?? "") {
                    Issue.record("\(fen) should end as \(ends), told is \(journal[charge.order, default: []])")
                }
                let waiting = try await deployment.owner.query(
                    "SELECT count(*) AS n FROM gateway.outbox")
                Issue.record("\(try waiting[0].int64("n")) facts wait in the outbox")
                throw error
            }
            let charged = try await deployment.charged()
            for (command, ends) in charges {
                let isPaid = ends.contains("succeeded")
                #expect(charged["\(command.order)\(command.payment)", default: 0] == (isPaid ? 1 : 0))
            }
            let metrics = try await ProgramRun.outside(
                "curl", ["--silent", "--fail", "http://127.0.0.1:\(try await gateway.port(of: "admin"))/metrics"]
            ).output
            #expect(metrics.contains("charge_gateway_"))
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
            let outputs = [gateway.log, metrics] + (try await deployment.texts())
            for secret in Shop.secrets { #expect(!outputs.contains { $0.contains(secret) }) }
            let rows = try await deployment.owner.query(
                "SELECT count(*) AS n FROM gateway.operations WHERE sealed_card IS NOT NULL")
            #expect(try rows[0].int64("n") == 0)
        }
    }

    // Failure scenarios 4, 42.
    @Test(
        "killed or stopped while the acquirer holds its requests, charges nobody twice",
        arguments: [(SIGKILL, "received"), (SIGKILL, "booked"), (SIGSTOP, "received")])
    func killed(signal: Int32, stage: String) async throws {
        try await TestDeployment.with { deployment in
            let first = try deployment.gateway()
            _ = try await deployment.acquirer.control(
                "POST hold",
                body: .object([JSONMember("count", .integer(6)), JSONMember("stage", .string(stage))]))
            let charges = try (0..<12).map { try deployment.shop.charge(Shop.order(in: Int32($0 % 4))) }
            try await deployment.publish(charges.map { .charge($0) })
            try await first.until {
                try await deployment.acquirer.control("GET held").array?.count == 6
            }
            first.signal(signal)
            let second = try deployment.gateway()
            _ = try await deployment.acquirer.control("POST release")
            try await second.until {
                let journal = try await deployment.journal()
                return charges.allSatisfy { journal[$0.order]?.last == "succeeded" }
            }
            // The zombie wakes with its old requests in hand.
            first.signal(SIGCONT)
            try await Task.sleep(for: .seconds(1))
            let charged = try await deployment.charged()
            #expect(charged.count == 12 && charged.values.allSatisfy { $0 == 1 })
            // What was booked is found by a query: nothing is sent again.
            let repeats = try await deployment.acquirer.control("GET book").array?.map { $0["repeats"]?.integer ?? -1 }
            if stage == "booked" { #expect(repeats == Array(repeating: 0, count: 12)) }
        }
    }

    // Failure scenario 40.
    @Test("whose brokers go away in the middle of a load loses no command and charges nobody twice")
    func outageUnderLoad() async throws {
        try await TestDeployment.with { deployment in
            let gateway = try deployment.gateway()
            let charges = try (0..<60).map { try deployment.shop.charge(Shop.order(in: Int32($0 % 4))) }
            for start in stride(from: 0, to: 60, by: 20) {
                try await deployment.publish(charges[start..<start + 20].map { .charge($0) })
                guard start == 20 else { continue }
                // Some have ended, some are on their way, some are not read.
                try await gateway.until { try await deployment.charged().count >= 22 }
                deployment.broker.freeze()
                // Facts wait, and the group is lost meanwhile.
                try await gateway.until {
                    gateway.log.contains("Kafka does not take events") && gateway.log.contains("partitions revoked")
                }
                deployment.broker.thaw()
            }
            try await gateway.until {
                let journal = try await deployment.journal()
                let waiting = try await deployment.owner.query("SELECT count(*) AS n FROM gateway.outbox")
                return try charges.allSatisfy { journal[$0.order] == ["accepted", "succeeded"] }
                    && waiting[0].int64("n") == 0
            }
            let charged = try await deployment.charged()
            #expect(charged.count == 60 && charged.values.allSatisfy { $0 == 1 })
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
        }
    }

    @Test("refuses to start with the public half of its sealing set, which opens nothing")
    func publicSealingKeys() async throws {
        try await TestDeployment.with { deployment in
            let file = deployment.shop.folder.appending(path: "public.json")
            let key = JWK(keyID: "sealing", publicKey: deployment.shop.sealingKey.publicKey)
            try KeyFile(file.path).create(JWKSet([key]).json(), readers: .owner)
            let gateway = try deployment.gateway(["SEALING_KEYS": file.path])
            #expect(try await gateway.status() == 2)
            #expect(gateway.log.contains("a key without its private half"), "\(gateway.log)")
        }
    }

    @Test("is not ready on a database that takes no writes, and says so")
    func readOnlyDatabase() async throws {
        try await TestDeployment.with { deployment in
            let name = try await deployment.owner.query("SELECT current_database()::text AS name")[0].string("name")
            try await deployment.owner.execute("ALTER DATABASE \(name) SET default_transaction_read_only = on")
            let gateway = try deployment.gateway()
            try await gateway.until {
                gateway.log.contains("postgres writes is not ready: the database takes no writes")
            }
            gateway.signal(SIGKILL)
        }
    }

    // Failure scenario 6.
    @Test("ends in order when it is told to while the brokers are away, and its facts stay in the outbox")
    func brokersAway() async throws {
        try await TestDeployment.with { deployment in
            let gateway = try deployment.gateway()
            let hold: JSONValue = .object([
                JSONMember("count", .integer(1)), JSONMember("stage", .string("received")),
            ])
            _ = try await deployment.acquirer.control("POST hold", body: hold)
            let charge = try deployment.shop.charge(Shop.order())
            try await deployment.publish([.charge(charge)])
            try await gateway.until {
                let held = try await deployment.acquirer.control("GET held").array?.count
                return try await deployment.journal()[charge.order]?.last == "accepted" && held == 1
            }
            deployment.broker.freeze()
            _ = try await deployment.acquirer.control("POST release")
            let waiting = "SELECT count(*) AS n FROM gateway.outbox"
            try await gateway.until { try await deployment.owner.query(waiting)[0].int64("n") >= 1 }
            // Long enough for the relay to hand them over.
            try await Task.sleep(for: .seconds(2))
            let asked = ContinuousClock.now
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
            // The platform kills after 30 seconds; a machine may be slower than this one.
            #expect(.now < asked + .seconds(15), "\(gateway.log.suffix(4_000))")
            #expect(gateway.log.contains("Kafka does not take events"))
            #expect(try await deployment.owner.query(waiting)[0].int64("n") >= 1)
            deployment.broker.thaw()
            let next = try deployment.gateway()
            try await next.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
        }
    }

    // Failure scenario 56.
    @Test("takes nothing into a database that was restored, and says what to run")
    func restored() async throws {
        try await TestDeployment.with { deployment in
            let first = try deployment.gateway()
            let charge = try deployment.shop.charge(Shop.order())
            try await deployment.publish([.charge(charge)])
            try await first.until { try await deployment.journal()[charge.order]?.last == "succeeded" }
            first.signal(SIGTERM)
            #expect(try await first.status() == 0)
            try await deployment.owner.execute("UPDATE gateway.inbox_watermarks SET next_offset = 0, count = 0")
            let second = try deployment.gateway()
            try await second.until {
                second.log.contains("was restored from an older state. Run `charge-gateway recover --restored`")
            }
            second.signal(SIGTERM)
            #expect(try await second.status() == 0, "\(second.log.suffix(2_000))")
        }
    }

    @Test("refuses a schema that was not migrated, with the words what to run")
    func notMigrated() async throws {
        try await TestDeployment.with(isMigrated: false) { deployment in
            let gateway = try deployment.gateway()
            #expect(try await gateway.status() != 0)
            #expect(gateway.log.contains("migrat"), "\(gateway.log.suffix(2_000))")
        }
    }

    @Test("waits for a database that is not there, says so, and ends in order when it is told to")
    func waits() async throws {
        try await TestDeployment.with(isMigrated: false) { deployment in
            let gateway = try deployment.gateway(["POSTGRES_URL": "host=/nowhere dbname=x"])
            try await gateway.until { gateway.log.contains("startup waits and tries again") }
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
        }
    }
}
