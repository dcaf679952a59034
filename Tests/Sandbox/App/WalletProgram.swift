import Foundation
import OrchardServiceKit
import SandboxSessions
import SandboxWallet

/// `sandbox wallet`: Apple Pay tokens without an iPhone.
enum WalletProgram {
    static let command = Command(
        name: "wallet", summary: "mint Apple Pay tokens under a throw-away root",
        subcommands: [initialise, mint, serve])

    private static let initialise = Command(
        name: "init", summary: "write a root, signing certificates and merchant keys into a folder",
        discussion: """
            Tell the services to trust root.cert.pem, and give them the merchants' processing certificates and keys. \
            Whoever can read the folder can make tokens that they accept: never use it where money is real.
            """,
        arguments: [.init("DIR", help: "The folder, made when it is missing.")],
        options: [.value("merchant", "ID", help: "Apple's merchant identifier.", repeatable: true)],
        examples: [.init("sandbox wallet init wallet --merchant merchant.com.example.shop", "a wallet for one shop")]
    ) { invocation in
        let merchants = invocation.values("merchant")
        try InitRule.fill(invocation.arguments[0], without: Wallet.manifestFile) { folder in
            try Wallet(merchants: merchants.isEmpty ? ["merchant.com.example.shop"] : merchants).save(to: folder)
        }
        return 0
    }

    private static let mint = Command(
        name: "mint", summary: "print one payment token as JSON",
        arguments: [.init("DIR", help: "A folder that `wallet init` wrote.")],
        options: [
            .value("merchant", "ID", help: "Who is paid."),
            .value("amount", "DECIMAL", help: "For example 12.34 (the default); 1234 for yen."),
            .value("currency", "CODE", help: "ISO 4217, default CNY."),
            .value("scheme", "SCHEME", help: "EC_v1 (the default) or RSA_v1."),
            .value("type", "TYPE", help: "3DSecure (the default) or EMV."),
            .flag("pin", help: "With an encrypted PIN; needs RSA_v1 and EMV."),
            .value("network", "NAME", help: "visa, masterCard, amex, jcb or chinaUnionPay (the default)."),
            .value("application-data", "TEXT", help: "The request's applicationData before base64: the order id."),
            .value("at", "TIME", help: "Signing time in RFC 3339, default now."),
            .value("generation", "N", help: "Which of the merchant's keys, 1 (the default) or 2."),
            .value("cardholder", "NAME", help: "The cardholder's name."),
            .value("fault", "NAME", help: "One thing that is wrong: \(faults)."),
        ],
        examples: [
            .init(
                "sandbox wallet mint wallet --merchant merchant.com.example.shop | token-ingest inspect …",
                "look into a token")
        ]
    ) { invocation in
        let wallet = try Wallet(directory: URL(filePath: invocation.arguments[0]))
        let request = try request(invocation)
        let token: MintedToken
        if let name = invocation[option: "fault"] {
            guard let fault = MintingFault(rawValue: name) else { throw UsageError("--fault is one of \(faults)") }
            token = try wallet.mint(request, fault: fault)
        } else {
            token = try wallet.mint(request)
        }
        FileHandle.standardOutput.write(Data(token.json + [UInt8(ascii: "\n")]))
        return 0
    }

    private static let serve = Command(
        name: "serve", summary: "give merchant sessions until SIGTERM",
        discussion: """
            Plays Apple's session server: POST /paymentservices/paymentSession, over TLS with a Merchant Identity \
            certificate of the folder. Prints `ready PORT`. Name it to token-ingest as apple.sessions.server, and \
            root.cert.pem as apple.sessions.root.
            """,
        arguments: [.init("DIR", help: "A folder that `wallet init` wrote.")],
        options: [
            .value("host", "ADDRESS", help: "The IPv4 address to listen on, default 127.0.0.1; 0.0.0.0 for every one."),
            .value("port", "PORT", help: "The port; 0 takes a free one."),
            .value(
                "name", "NAME", help: "By which token-ingest calls it besides localhost; its certificate is made anew.",
                repeatable: true),
        ],
        examples: [
            .init("sandbox wallet serve wallet --port 8443", "sessions for pages of a test shop"),
            .init("sandbox wallet serve wallet --host 0.0.0.0 --name sessions --port 8443", "for other containers"),
        ]
    ) { invocation in
        let text = invocation[option: "port"] ?? "0"
        guard let port = Int(text), 0...65_535 ~= port else { throw UsageError("--port is a port, not \(text)") }
        let names = invocation.values("name")
        for name in names where !isHostName(name) { throw UsageError("--name is a host's name, not \(name)") }
        let server = try SessionServer(
            wallet: Wallet(directory: URL(filePath: invocation.arguments[0])),
            host: invocation[option: "host"] ?? "127.0.0.1", port: port, names: names)
        FileHandle.standardOutput.write(Data("ready \(server.port)\n".utf8))
        let logger = Logger(label: "sessions", level: .notice, handler: LogWriter.standardError)
        try await ServiceGroup(services: [server], logger: logger).run()
        return 0
    }

    private static func isHostName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
            }
    }

    private static let faults = MintingFault.allCases.map(\.rawValue).joined(separator: ", ")

    /// The request by the options of `mint`, which `load` shares.
    ///
    /// - Parameter content: the content of the token when `--type` is not given.
    static func request(_ invocation: Invocation, content: Wallet.Content = .threeDSecure) throws -> MintRequest {
        guard let merchant = invocation[option: "merchant"] else { throw UsageError("--merchant is missing") }
        let currency = try WalletCurrency(invocation[option: "currency"] ?? "CNY")
        let text = invocation[option: "amount"] ?? "12.34"
        guard let amount = currency.minorUnits(text) else {
            throw UsageError("--amount \(text) is no amount of \(currency.code)")
        }
        var request = MintRequest(merchant: merchant, amount: amount, currency: currency.code)
        request.scheme = try choice(invocation, "scheme", .ec)
        request.content = try choice(invocation, "type", content)
        if invocation.has("pin") {
            guard request.scheme == .rsa, request.content == .emv else {
                throw UsageError("--pin needs --scheme RSA_v1 --type EMV")
            }
            request.content = .emvWithPIN
        }
        let network = invocation[option: "network"] ?? "chinaUnionPay"
        guard let known = Wallet.Network.allCases.first(where: { "\($0)" == network }) else {
            throw UsageError("--network cannot be \(network)")
        }
        request.network = known
        request.applicationData = invocation[option: "application-data"].map { Array($0.utf8) }
        request.cardholderName = invocation[option: "cardholder"]
        if let time = invocation[option: "at"] {
            guard let date = try? Date(time, strategy: .iso8601) else {
                throw UsageError("--at is no time of RFC 3339")
            }
            request.signedAt = Int64(date.timeIntervalSince1970)
        }
        if let text = invocation[option: "generation"] {
            guard let generation = Int(text) else { throw UsageError("--generation is 1 or 2") }
            request.generation = generation
        }
        return request
    }

    private static func choice<Choice: RawRepresentable>(
        _ invocation: Invocation, _ name: String, _ standard: Choice
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        guard let text = invocation[option: name] else { return standard }
        guard let choice = Choice(rawValue: text) else { throw UsageError("--\(name) cannot be \(text)") }
        return choice
    }
}
