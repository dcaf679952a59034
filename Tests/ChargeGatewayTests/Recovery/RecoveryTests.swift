import Contracts
import Foundation
import OrchardJSON
import OrchardPostgres
import SandboxDatabase
import SandboxProcesses
import TestSupport
import Testing

@testable import ChargeGateway

/// On real servers: the acquirer's own book says what was charged, whatever the database has forgotten.
@Suite("A gateway whose database lost its last commits", .serialized, .timeLimit(.minutes(10)))
struct RecoveryTests {
    private static func charges(_ count: Int, in deployment: TestDeployment) throws -> [ChargeRequested] {
        try (0..<count).map { try deployment.shop.charge(Shop.order(in: Int32($0 % 4))) }
    }

    /// Whether each payment's end is told.
    private static func haveEnded(_ charges: [ChargeRequested], in deployment: TestDeployment) async throws -> Bool {
        let journal = try await deployment.journal()
        return charges.allSatisfy { journal[$0.order]?.contains("succeeded") == true }
    }

    /// Each order is paid once in the acquirer's book, and was told to be paid once.
    private static func compare(_ charges: [ChargeRequested], in deployment: TestDeployment, _ book: AcquirersBook)
        async throws
    {
        let charged = try await book.charged()
        #expect(charged.count == charges.count && charged.values.allSatisfy { $0 == 1 })
        let journal = try await deployment.journal()
        for charge in charges {
            #expect(charged["\(charge.order)\(charge.payment)"] == 1)
            #expect(journal[charge.order]?.filter { $0 == "succeeded" }.count == 1, "\(journal[charge.order] ?? [])")
            #expect(journal[charge.order]?.filter { $0 == "accepted" }.count == 1)
        }
    }

    // Failure scenario 56.
    @Test(
        "goes on with a promoted standby that never got them, by itself, and charges nobody twice",
        arguments: AcquirersBook.Program.present)
    func lossyFailover(_ program: AcquirersBook.Program) async throws {
        let primary = try await PrivateCluster.start()
        try await TestDeployment.with(on: primary) { deployment in
            let book = try await AcquirersBook(program, of: deployment)
            let standby = try await PrivateCluster.start(following: primary)
            let gateway = try deployment.gateway(deployment.either(primary, standby).merging(book.settings) { $1 })
            let before = try Self.charges(12, in: deployment)
            try await deployment.publish(before.map { .charge($0) })
            try await gateway.until { try await Self.haveEnded(before, in: deployment) }
            try await standby.catchUp(with: primary)
            try await standby.cutOff()
            // The standby never hears of these, of which some end, some are sent and some are only taken.
            let lost = try Self.charges(24, in: deployment)
            try await deployment.publish(lost.map { .charge($0) })
            try await gateway.until {
                let journal = try await deployment.journal()
                return lost.count { journal[$0.order]?.contains("succeeded") == true } >= 8
            }
            primary.crash()
            try await standby.promote()
            let after = try Self.charges(12, in: deployment)
            try await deployment.publish(after.map { .charge($0) })
            try await gateway.until { try await Self.haveEnded(before + lost + after, in: deployment) }
            #expect(gateway.log.contains("the partition goes on"))
            try await Self.compare(before + lost + after, in: deployment, book)
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
            await standby.stop()
        }
        await primary.stop()
    }

    // Failure scenario 41.
    @Test("is interrupted for seconds only by a failover that loses nothing", arguments: AcquirersBook.Program.present)
    func failover(_ program: AcquirersBook.Program) async throws {
        let primary = try await PrivateCluster.start()
        try await TestDeployment.with(on: primary) { deployment in
            let book = try await AcquirersBook(program, of: deployment)
            let standby = try await PrivateCluster.start(following: primary)
            let gateway = try deployment.gateway(deployment.either(primary, standby).merging(book.settings) { $1 })
            let before = try Self.charges(8, in: deployment)
            try await deployment.publish(before.map { .charge($0) })
            try await gateway.until { try await Self.haveEnded(before, in: deployment) }
            try await standby.catchUp(with: primary)
            primary.crash()
            try await standby.promote()
            let promoted = ContinuousClock.now
            let after = try Self.charges(8, in: deployment)
            try await deployment.publish(after.map { .charge($0) })
            try await gateway.until { try await Self.haveEnded(before + after, in: deployment) }
            #expect(ContinuousClock.now - promoted < .seconds(110))
            try await Self.compare(before + after, in: deployment, book)
            gateway.signal(SIGTERM)
            #expect(try await gateway.status() == 0, "\(gateway.log.suffix(2_000))")
            await standby.stop()
        }
        await primary.stop()
    }

    // Failure scenario 56.
    @Test(
        "stands still on a restored dump until a person says recover --restored, and charges nobody twice then",
        arguments: AcquirersBook.Program.present)
    func restoredDump(_ program: AcquirersBook.Program) async throws {
        try await TestDeployment.with { deployment in
            let book = try await AcquirersBook(program, of: deployment)
            let first = try deployment.gateway(book.settings)
            let before = try Self.charges(12, in: deployment)
            try await deployment.publish(before.map { .charge($0) })
            try await first.until { try await Self.haveEnded(before, in: deployment) }
            let dump = deployment.shop.folder.appending(path: "dump.sql")
            try await PrivateCluster.dump(deployment.databaseURL(), to: dump)
            let lost = try Self.charges(24, in: deployment)
            try await deployment.publish(lost.map { .charge($0) })
            try await first.until {
                let journal = try await deployment.journal()
                return lost.count { journal[$0.order]?.contains("succeeded") == true } >= 8
            }
            first.signal(SIGKILL)
            let restored = book.settings.merging(
                ["POSTGRES_URL": deployment.databaseURL("\(deployment.name)_restored", user: deployment.name)]) { $1 }
            try await deployment.owner.execute("CREATE DATABASE \(deployment.name)_restored")
            try await PrivateCluster.restore(dump, to: deployment.databaseURL("\(deployment.name)_restored"))

            let after = try Self.charges(12, in: deployment)
            try await deployment.publish(after.map { .charge($0) })
            let second = try deployment.gateway(restored)
            try await second.until { second.log.contains("Run `charge-gateway recover --restored`") }
            second.signal(SIGKILL)
            let listing = try deployment.run(["recover"], restored)
            #expect(try await listing.status() == 1)
            #expect(listing.log.contains("events of ours that it does not know"), "\(listing.log)")
            let recovery = try deployment.run(["recover", "--restored"], restored)
            #expect(try await recovery.status() == 0, "\(recovery.log)")
            let third = try deployment.gateway(restored)
            try await third.until { try await Self.haveEnded(before + lost + after, in: deployment) }
            try await Self.compare(before + lost + after, in: deployment, book)
            third.signal(SIGTERM)
            #expect(try await third.status() == 0, "\(third.log.suffix(2_000))")
            try await deployment.owner.execute("DROP DATABASE \(deployment.name)_restored WITH (FORCE)")
        }
    }
}

/// An acquirer and its own book of what it charged.
final class AcquirersBook: Sendable {
    enum Program: Sendable {
        /// The sandbox's.
        case sandbox
        /// The independent one of `../shared/oracles`.
        case python

        static let present: [Program] = Oracles.arePresent ? [.sandbox, .python] : [.sandbox]
    }

    /// What leads a gateway there.
    let settings: [String: String]
    private let deployment: TestDeployment
    private let process: ChildProcess?

    init(_ program: Program, of deployment: TestDeployment) async throws {
        self.deployment = deployment
        switch program {
        case .sandbox: (settings, process) = ([:], nil)
        case .python:
            let process = try ChildProcess(
                ChildCommand(
                    Oracles.python,
                    [
                        Oracles.path("unionpay_acquirer.py"), "serve", deployment.shop.folder.path, "--port", "0",
                        "--time-scale", "0.001",
                    ], output: .pipe, errors: .null))
            let port = try #require(await process.line()).replacing("ready ", with: "")
            settings = ["UNIONPAY_URL": "http://127.0.0.1:\(port)"]
            self.process = process
        }
    }

    deinit { process?.signal(SIGKILL) }

    /// How often each order and payment was charged.
    func charged() async throws -> [String: Int] {
        guard process != nil, let address = settings["UNIONPAY_URL"] else { return try await deployment.charged() }
        let answer = try await ProgramRun.outside("curl", ["--silent", "--fail", "\(address)/_control/book"])
        var sales: [String: Int] = [:]
        for row in try JSONValue(parsing: Array(answer.output.utf8)).array ?? [] where row["state"]?.string == "success"
        {
            sales[row["reqReserved"]?.string ?? "", default: 0] += 1
        }
        return sales
    }
}

extension TestDeployment {
    /// The connection string of a superuser, or of a login, for a database of the common cluster.
    func databaseURL(_ database: String? = nil, user: String? = nil) -> String {
        "\(TestGateway.server ?? "") dbname=\(database ?? name)" + (user.map { " user=\($0)" } ?? "")
    }

    /// Leads a gateway to the one of two servers that takes writes.
    fileprivate func either(_ one: PrivateCluster, _ other: PrivateCluster) -> [String: String] {
        [
            "POSTGRES_URL": "host=\(one.host),\(other.host) port=5432,5432 dbname=\(name) user=\(name) "
                + "target_session_attrs=read-write"
        ]
    }
}
