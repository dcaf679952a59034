import Foundation
import OrchardHTTPClient
import OrchardServiceKit
import SandboxDemo
import SandboxWallet

/// `sandbox load`: a shop and its devices against services that run already.
enum LoadProgram {
    static let command = Command(
        name: "load", summary: "play shop and devices against running services, and measure how long they take",
        discussion: """
            Each customer opens an order with the shop's API key, pays it with a token of the wallet and waits until the \
            device gets the outcome. The services must trust the wallet's root and hold its merchant's keys; card data \
            and cards are made up.

            With --rate customers arrive at fixed times (open loop): late answers do not slow the arrivals, and `order` \
            and `arrival → paid` are measured from the planned arrival, so that late starts count too. Without it each of \
            --customers begins again as soon as it has ended. `sent → paid` is from sending the token until the status, \
            read by long poll, is paid. A request that is answered 429 or 503, by a proxy of its own 502 or 504, or not \
            at all, is repeated and counted, and its time goes on. Ctrl-C ends with the table of the results so far.

            Exit status 0 when every payment has an outcome, whatever it is; 1 when one has none or a customer could not \
            be played; 130 after Ctrl-C.
            """,
        arguments: [.init("DIR", help: "The wallet: a folder that `wallet init` wrote.")],
        options: [
            .value("merchant", "ID", help: "Apple's merchant identifier, as in the wallet."),
            .value("api-key-file", "FILE", help: "Holds the shop's API key."),
            .value("ledger", "URL", help: "An order-ledger, for example http://127.0.0.1:8083.", repeatable: true),
            .value("ingest", "URL", help: "A token-ingest, for example http://127.0.0.1:8081.", repeatable: true),
            .value("ca-file", "FILE", help: "PEM of the authorities to trust instead of the system's."),
            .value("rate", "N", help: "Customers a second, also a fraction; full speed without it."),
            .value("payments", "N", help: "How many customers come."),
            .value("seconds", "N", help: "How long customers come. Until Ctrl-C with neither."),
            .value(
                "customers", "N", help: "The most at once: 32 at full speed, 2000 with --rate; more are not played."),
            .value("wait", "SECONDS", help: "How long a device waits for its outcome, default 60."),
            .value("amount", "DECIMAL", help: "What each pays, default 12.34."),
            .value("currency", "CODE", help: "ISO 4217, default CNY."),
            .value("scheme", "SCHEME", help: "EC_v1 (the default) or RSA_v1."),
            .value("type", "TYPE", help: "EMV (the default) or 3DSecure."),
            .value("network", "NAME", help: "visa, masterCard, amex, jcb or chinaUnionPay (the default)."),
        ],
        examples: [
            .init(
                "sandbox load apple --merchant merchant.com.example.tea --api-key-file api-key --ledger "
                    + "http://127.0.0.1:8083 --ingest http://127.0.0.1:8081 --rate 50 --seconds 60",
                "3000 payments in a minute")
        ]
    ) { invocation in
        try await Load(options(invocation)).run()
    }

    /// The options of the command line.
    static func options(_ invocation: Invocation) throws -> LoadOptions {
        let payment = try WalletProgram.request(invocation, content: .emv)
        let ledgers = try addresses(invocation, "ledger")
        let ingests = try addresses(invocation, "ingest")
        let rate = try number(invocation, "rate", 0.001...100_000)
        let payments = try count(invocation, "payments", 1...1_000_000_000)
        let seconds = try number(invocation, "seconds", 0.1...10_000_000)
        let customers = try count(invocation, "customers", 1...100_000)
        let wait = try number(invocation, "wait", 0.1...86_400)
        let keyFile = try invocation.required("api-key-file")
        guard let key = try? String(contentsOfFile: keyFile, encoding: .utf8) else {
            throw UsageError("--api-key-file: \(keyFile) cannot be read")
        }
        let wallet = try Wallet(directory: URL(filePath: invocation.arguments[0]))
        // Fails now, not at the first payment, when the wallet lacks the merchant.
        _ = try wallet.processing(payment.merchant, payment.scheme, generation: payment.generation)
        var options = LoadOptions(
            wallet: wallet, payment: payment, apiKey: key.trimmingCharacters(in: .whitespacesAndNewlines),
            ledgers: ledgers, ingests: ingests)
        options.rate = rate
        options.payments = payments
        options.time = seconds.map { .seconds($0) }
        options.customers = customers
        if let wait { options.wait = .seconds(wait) }
        options.caFile = invocation[option: "ca-file"]
        return options
    }

    private static func addresses(_ invocation: Invocation, _ name: String) throws(UsageError) -> [String] {
        let addresses = invocation.values(name)
        guard !addresses.isEmpty else { throw UsageError("--\(name) is missing") }
        for address in addresses {
            do throws(HTTPFailure) { try HTTPURLPolicy.any.check(address) } catch {
                throw UsageError("--\(name) \(address): \(error.reason)")
            }
        }
        return addresses.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    private static func number(
        _ invocation: Invocation, _ name: String, _ range: ClosedRange<Double>
    ) throws(UsageError) -> Double? {
        guard let text = invocation[option: name] else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw UsageError(
                "--\(name) \(text): a number from \(plain(range.lowerBound)) to \(plain(range.upperBound)) is needed")
        }
        return number
    }

    private static func count(
        _ invocation: Invocation, _ name: String, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
        guard let text = invocation[option: name] else { return nil }
        guard let count = Int(text), range.contains(count) else {
            throw UsageError(
                "--\(name) \(text): a whole number from \(range.lowerBound) to \(range.upperBound) is needed")
        }
        return count
    }

    private static func plain(_ number: Double) -> String { number < 1 ? "\(number)" : "\(Int(number))" }
}
