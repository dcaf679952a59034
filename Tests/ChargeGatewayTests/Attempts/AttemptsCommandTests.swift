import Contracts
import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("charge-gateway attempts, as a real process", .timeLimit(.minutes(6)))
struct AttemptsCommandTests {
    private static func run(
        _ arguments: [String], _ gateway: TestGateway
    ) async throws -> (status: Int32, output: String) {
        let process = try TestProcess("charge-gateway", ["attempts"] + arguments, ["POSTGRES_URL": gateway.url])
        return (try await process.status(), process.log)
    }

    /// A charge that was sent a day ago and has no outcome.
    private static func strand(_ order: OrderID, in gateway: TestGateway) async throws {
        try await gateway.owner.execute(
            """
            UPDATE gateway.operations SET phase = 'unknown', sends = 1, next_step = 'query',
                signed_at = signed_at - interval '1 day', sent_at = clock_timestamp() - interval '1 day',
                open_since = clock_timestamp() - interval '1 day', next_at = clock_timestamp() + interval '1 hour'
            WHERE order_id = $1
            """, [order])
    }

    @Test("list and show what has no end, the oldest first, and no card data")
    func listed() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let empty = try await Self.run(["list"], gateway)
            #expect(
                empty.status == 0 && empty.output == "every charge, capture, void and refund has ended\n", "\(empty)")
            let (fresh, old) = (Shop.order(), Shop.order(in: 1))
            try await gateway.take([.charge(try gateway.shop.charge(fresh))])
            let charge = try gateway.shop.charge(old)
            try await gateway.take([.charge(charge)], in: 1)
            try await Self.strand(old, in: gateway)
            let list = try await Self.run(["list"], gateway)
            let lines = list.output.split(separator: "\n")
            #expect(list.status == 0 && lines.count == 2, "\(list)")
            #expect(lines.first?.hasPrefix("\(old)  \(charge.payment)  unknown  ") == true, "\(list)")
            #expect(lines.first?.hasSuffix("may be resolved") == true)
            #expect(lines.last?.hasPrefix("\(fresh)  ") == true && lines.last?.hasSuffix("ends by itself") == true)
            let show = try await Self.run(["show", "\(old)"], gateway)
            #expect(show.status == 0, "\(show)")
            for expected in [
                "payment              \(charge.payment)\n", "phase                unknown\n", "last four 3629\n",
            ] {
                #expect(show.output.contains(expected), "\(show.output)")
            }
            #expect(!show.output.contains(Shop.cardNumber) && !list.output.contains(Shop.cardNumber))
            let none = try await Self.run(["show", "\(Shop.order())"], gateway)
            #expect(none.status == 1 && none.output.hasPrefix("the gateway knows no charge of order "), "\(none)")
        }
    }

    @Test("resolve ends a charge once, when it may, and the journal tells who said so and why")
    func resolved() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let charge = try gateway.shop.charge(order)
            try await gateway.take([.charge(charge)])
            func resolve(_ payment: PaymentID = charge.payment) async throws -> (status: Int32, output: String) {
                try await Self.run(
                    [
                        "resolve", "\(order)", "\(payment)", "--outcome", "paid", "--reason", "hotline, case 4711",
                        "--by", "li.wei",
                    ], gateway)
            }
            let early = try await resolve()
            #expect(early.status == 1 && early.output.hasPrefix("not resolved: nothing was sent"), "\(early)")
            let other = try await resolve(Shop.payment())
            #expect(other.status == 1 && other.output.hasPrefix("the gateway knows no charge"), "\(other)")
            try await Self.strand(order, in: gateway)
            // A database that may lack commits is not written to.
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'run recover'")
            let refused = try await resolve()
            #expect(refused.status == 1 && refused.output.contains("run recover"), "\(refused)")
            #expect(try await gateway.story(of: order) == ["accepted"])
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = NULL")
            let done = try await resolve()
            #expect(done.status == 0 && done.output.contains("resolved as paid\n"), "\(done)")
            #expect(try await gateway.story(of: order) == ["accepted", "resolved"])
            let fact = try #require(try await gateway.facts(of: order).last)
            let text = String(decoding: fact.json, as: UTF8.self)
            #expect(text.contains("hotline, case 4711") && text.contains("li.wei"), "\(text)")
            #expect(try await gateway.count("gateway.orders WHERE closed_reason = 'paid'") == 1)
            let again = try await resolve()
            #expect(
                again.status == 1 && again.output.contains("not resolved: the charge has ended as succeeded"),
                "\(again)")
            #expect(
                try await Self.run(["list"], gateway).output == "every charge, capture, void and refund has ended\n")
        }
    }

    @Test("list what can be read when the rows of another are damaged, and name that order")
    func damaged() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (damaged, other) = (Shop.order(), Shop.order())
            try await gateway.take([.charge(try gateway.shop.charge(damaged)), .charge(try gateway.shop.charge(other))])
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET account = NULL WHERE order_id = $1", [damaged])
            let list = try await Self.run(["list"], gateway)
            let lines = list.output.split(separator: "\n")
            #expect(list.status == 1 && lines.count == 2, "\(list)")
            #expect(lines.first?.hasPrefix("\(other)  ") == true)
            #expect(lines.last?.hasPrefix("\(damaged)  its rows cannot be read") == true, "\(list)")
            #expect(lines.last?.contains("account") == true)
        }
    }

    private static let order = String(repeating: "0", count: 32)
    private static let resolve = ["resolve", order, order]
    private static let person = ["--reason", "hotline", "--by", "li.wei"]

    @Test(
        "say what is wrong with a command line",
        arguments: [
            ([], "a command is missing"), (["lsit"], "did you mean \"list\"?"),
            (["list", "all"], "unexpected argument"),
            (["show"], "ORDER is missing"), (["show", "A-1001"], "ORDER is 32 lower-case hex digits"),
            (["resolve", order], "PAYMENT is missing"),
            (["resolve", order, "x"], "PAYMENT is 32 lower-case hex digits"),
            (resolve + person, "--outcome"),
            (resolve + ["--outcome", "lost"] + person, "paid or not-charged, not lost"),
            (resolve + ["--outcome", "paid", "--by", "li.wei"], "--reason"),
            (resolve + ["--outcome", "paid", "--reason", "hotline"], "--by"),
            (
                resolve + ["--outcome", "paid", "--by", "li.wei", "--reason", String(repeating: "a", count: 201)],
                "--reason has at most 200 bytes"
            ),
            (resolve + ["--outcome", "paid", "--by", "li\nwei", "--reason", "hotline"], "plain text of one line"),
            (["list"], "postgres.url"), (resolve + ["--outcome", "paid"] + person, "postgres.url"),
        ] as [([String], String)])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let process = try TestProcess("charge-gateway", ["attempts"] + arguments, [:])
        #expect(try await process.status() == 2)
        #expect(process.log.contains(error), "\(process.log)")
    }

    @Test("name the command to run on a database without the gateway's tables", arguments: ["list", "show", "resolve"])
    func notMigrated(_ command: String) async throws {
        try await TestDatabase.with { database in
            let arguments =
                switch command {
                case "list": ["list"]
                case "show": ["show", Self.order]
                default: Self.resolve + ["--outcome", "paid"] + Self.person
                }
            let process = try TestProcess(
                "charge-gateway", ["attempts"] + arguments,
                ["POSTGRES_URL": database.configuration.connectionString])
            #expect(try await process.status() == 1)
            #expect(process.log.contains("run `migrate` first"), "\(process.log)")
        }
    }
}
