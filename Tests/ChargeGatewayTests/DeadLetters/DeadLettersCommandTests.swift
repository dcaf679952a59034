import Contracts
import Foundation
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("charge-gateway dlq, as a real process", .serialized, .timeLimit(.minutes(6)))
struct DeadLettersCommandTests {
    @Test("lists and shows what was set aside, and takes it again when its cause is mended, once")
    func replayed() async throws {
        try await TestDeployment.with { deployment in
            // Somebody has changed the account of the route.
            let edited = deployment.shop.folder.appending(path: "edited.json")
            let merchants = try String(contentsOfFile: deployment.shop.file("merchants.json"), encoding: .utf8)
            try writePrivately(
                Array(merchants.replacing(Shop.account, with: "777290058110049").utf8), to: edited)
            let wrong = ["MERCHANTS": edited.path]
            func dlq(_ arguments: [String], _ settings: [String: String] = [:]) async throws -> (
                status: Int32, output: String
            ) {
                let process = try deployment.command(["dlq"] + arguments, settings)
                let status = try await process.status()
                // The log goes to standard error; its lines are JSON.
                let lines = process.log.split(separator: "\n", omittingEmptySubsequences: false)
                return (status, lines.filter { !$0.hasPrefix("{") }.joined(separator: "\n"))
            }
            #expect(try await dlq(["list"]) == (0, "nothing was set aside\n"))
            #expect(try await dlq(["replay", "--all"]) == (0, "nothing was set aside\n"))

            let orders = [Shop.order(in: 0), Shop.order(in: 2)]
            try await deployment.publish(try orders.map { .charge(try deployment.shop.charge($0)) })
            let first = try deployment.gateway(wrong)
            try await first.until {
                try await dlq(["list"]).output.split(separator: "\n").filter { $0.hasPrefix("P") }.count == 2
            }
            first.signal(SIGTERM)
            #expect(try await first.status() == 0)
            let list = try await dlq(["list"])
            let lines = list.output.split(separator: "\n")
            #expect(list.status == 0 && lines.map { $0.prefix(6) } == ["P0@0  ", "P2@0  "], "\(list)")

            let show = try await dlq(["show", "P0@0"])
            #expect(show.status == 0, "\(show)")
            #expect(show.output.hasPrefix("set aside  ") && show.output.contains("the record    is there: "), "\(show)")
            #expect(show.output.contains("ce_subject    \(orders[0])\n"))
            #expect(!show.output.contains("another one") && !show.output.contains(Shop.cardNumber))
            let unknown = try await dlq(["show", "P1@7"])
            #expect(unknown.status == 1 && unknown.output.hasPrefix("nothing was set aside at P1@7\n"), "\(unknown)")

            let still = try await dlq(["replay", "P0@0"], wrong)
            #expect(still.status == 1 && still.output.hasPrefix("P0@0  still set aside: "), "\(still)")
            let gone = try await dlq(["replay", "P0@0", "P1@7"])
            #expect(gone.status == 1, "\(gone)")
            #expect(
                gone.output == "P0@0  taken: accepted\nP1@7  left the topic: the partition is empty\n", "\(gone.output)"
            )
            let all = try await dlq(["replay", "--all"])
            #expect(
                all == (0, "P0@0  known, nothing changes: created\nP2@0  taken: accepted\n"), "\(all)")

            let second = try deployment.gateway()
            try await second.until {
                let journal = try await deployment.journal()
                return orders.allSatisfy { journal[$0]?.last == "succeeded" }
            }
            #expect(try await deployment.charged().values.sorted() == [1, 1])
            second.signal(SIGTERM)
            #expect(try await second.status() == 0)
            #expect(
                try await dlq(["replay", "P0@0"]) == (0, "P0@0  known, nothing changes: succeeded\n"))
            // What is in the topic and was never read is left to the consumer.
            try await deployment.publish([.charge(try deployment.shop.charge(orders[0]))])
            let unread = try await dlq(["replay", "P0@1"])
            #expect(
                unread.status == 1 && unread.output.hasPrefix("P0@1  not taken: the gateway has not read"), "\(unread)")
        }
    }

    @Test(
        "says what is wrong with a command line",
        arguments: [
            ([], "a command is missing"), (["show"], "PLACE is missing"),
            (["show", "41"], "a place is written like P3@41"),
            (["list", "P3@41"], "unexpected argument"), (["list"], "kafka.bootstrap.servers"),
            (["replay", "P3"], "a place is written like P3@41"), (["replay"], "name a PLACE, or give --all"),
            (["replay", "--all", "P3@41"], "not both"),
        ] as [([String], String)])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let process = try TestProcess("charge-gateway", ["dlq"] + arguments, [:])
        #expect(try await process.status() == 2)
        #expect(process.log.contains(error), "\(process.log)")
    }
}
