import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit

/// `charge-gateway attempts`: charges, captures, voids and refunds that no answer, query or notification has ended.
enum AttemptsCommand {
    static let command = Command(
        name: "attempts", summary: "list, show and resolve charges, captures, voids and refunds without an end",
        subcommands: [list, show, resolve])

    private static let keys = ConfigReader.keys { ChargeStoreConfiguration(reader: $0) }

    private static let list = Command(
        name: "list", summary: "list the charges, captures, voids and refunds without an end",
        discussion: """
            One line for each, the oldest first, at most 1,000: order; payment, or operation and kind of a capture, void or
            refund; phase, amount, and whether a person may decide. Orders with damaged rows follow; then the status is 1.
            """,
        configuration: keys,
        examples: [.init("charge-gateway attempts list --config charge-gateway.json", "every morning")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { ChargeStoreConfiguration(reader: $0) }
        let (open, now) = try await configuration.read { try await $0.open(1_000, on: $1) }
        for charge in open.found { print(ChargeReport(machine: charge.machine, now: now).line) }
        for line in open.damaged { print(line) }
        if open.found.isEmpty, open.damaged.isEmpty { print("every charge, capture, void and refund has ended") }
        return open.damaged.isEmpty ? 0 : 1
    }

    private static let show = Command(
        name: "show", summary: "show the charges of an order, with their captures, voids and refunds",
        arguments: [.init("ORDER", help: "The order's id.")], configuration: keys,
        examples: [
            .init("charge-gateway attempts show 0190a0b0c0d0e0f00102030405060708", "before a call to the acquirer")
        ]
    ) { invocation in
        let order = try order(invocation.arguments.first)
        let (configuration, _) = try invocation.configuration { ChargeStoreConfiguration(reader: $0) }
        let (charges, now) = try await configuration.read { try await $0.charges(of: order, on: $1) }
        for (index, charge) in charges.enumerated() {
            if index > 0 { print("") }
            ChargeReport(machine: charge.machine, now: now).lines.forEach { print($0) }
        }
        guard charges.isEmpty else { return 0 }
        print("the gateway knows no charge of order \(order)")
        return 1
    }

    private static let resolve = Command(
        name: "resolve", summary: "end a charge, capture, void or refund by a person's word",
        discussion: """
            For one that stays unknown or in conflict. Ask the acquirer first, with the order number that `attempts show`
            prints; your word goes into the books. A void of taken money that you say was not done becomes a refund. A charge
            of a closed order that you say was paid is not given back by itself: refund it. Allowed when nothing can arrive at
            the acquirer any more and the planned queries are over. The journal tells it as operation.resolved with your
            reason and name, for ever: put no card number into them. When the acquirer tells of a charge later all the same,
            it is a late success, with an alarm.
            """,
        arguments: [
            .init("ORDER", help: "The order's id."),
            .init("PAYMENT", help: "The payment's id; of a capture, void or refund the operation's."),
        ],
        options: [
            .value("outcome", "OUTCOME", help: "paid: it was done, whatever it was; not-charged: it was not."),
            .value("reason", "TEXT", help: "How you know, at most 200 bytes."),
            .value("by", "NAME", help: "Who you are, at most 64 bytes."),
        ],
        configuration: keys,
        examples: [
            .init(
                "charge-gateway attempts resolve 0190a0b0c0d0e0f00102030405060708 0190a0b0c0d080f08102030405060709 \\\n"
                    + "      --outcome not-charged --reason 'UnionPay hotline, case 4711' --by li.wei",
                "after the acquirer said so")
        ]
    ) { invocation in
        let order = try order(invocation.arguments.first)
        guard let name = invocation.arguments.dropFirst().first.flatMap({ PaymentID(given: $0) })?.description else {
            throw UsageError("PAYMENT is 32 lower-case hex digits, with or without the hyphens of a UUID")
        }
        let outcome: Resolution.Outcome
        switch try invocation.required("outcome") {
        case "paid": outcome = .paid
        case "not-charged": outcome = .notCharged
        case let other: throw UsageError("--outcome is paid or not-charged, not \(other)")
        }
        let resolution = Resolution(
            outcome, reason: try invocation.required("reason"), by: try invocation.required("by"))
        guard let resolution else {
            throw UsageError("--reason has at most 200 bytes, --by at most 64, and both are plain text of one line")
        }
        let (configuration, _) = try invocation.configuration { ChargeStoreConfiguration(reader: $0) }
        return try await configuration.withTransactions { transactions in
            let answer = try await ChargeResolution(transactions: transactions).resolve(order, name, resolution)
            print(answer.text)
            return answer.isDone ? 0 : 1
        }
    }

    private static func order(_ text: String?) throws(UsageError) -> OrderID {
        guard let order = text.flatMap({ OrderID(given: $0) }) else {
            throw UsageError("ORDER is 32 lower-case hex digits, with or without the hyphens of a UUID")
        }
        return order
    }
}
