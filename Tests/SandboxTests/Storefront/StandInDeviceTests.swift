import OrchardHTTPTypes
import OrchardJSON
import SandboxWallet
import Testing

@testable import SandboxDemo
@testable import SandboxSessions

@Suite("The iPhone behind the stand-in of the sheet")
struct StandInDeviceTests {
    private static let merchant = "merchant.example.tea"
    /// Keys take time to make.
    private static let wallets = Result { (try Wallet(merchants: [merchant]), try Wallet(merchants: [merchant])) }

    private let wallet, stranger: Wallet

    init() throws { (wallet, stranger) = try Self.wallets.get() }

    /// A session, as the page got it.
    private func session(
        to merchant: String = Self.merchant, for domain: String = "localhost", by wallet: Wallet? = nil,
        age: Int64 = 0, changing change: (name: String, value: JSONValue)? = nil
    ) throws -> JSONValue {
        let now = try #require(
            try JSONValue(
                parsing: MerchantSession.issue(to: merchant, named: "Tea", for: domain, by: self.wallet))[
                    "epochTimestamp"]?
                .integer)
        let text = try MerchantSession.issue(
            to: merchant, named: "Tea", for: domain, by: wallet ?? self.wallet, at: now - age)
        let session = try JSONValue(parsing: text)
        guard let change else { return session }
        return .object(
            (session.members ?? []).filter { $0.name != change.name } + [JSONMember(change.name, change.value)])
    }

    private func pay(_ session: JSONValue, _ changes: [String: JSONValue] = [:]) throws(Problem) -> HTTPResponse {
        let right: [String: JSONValue] = [
            "card": "everyday", "amount": "53.00", "currency": "CNY", "merchantIdentifier": .string(Self.merchant),
            "applicationData": "b3JkZXI=", "session": session,
        ]
        let body = right.merging(changes) { _, new in new }.filter { $0.value != .null }
        return try StandInDevice(wallet: wallet, merchant: Self.merchant).pay(
            HTTPRequest(
                method: .post, target: "/sandbox/token",
                fields: ["Content-Type": "application/json", "Host": "localhost:8080"],
                body: JSONValue.object(body.map { JSONMember($0.key, $0.value) }).bytes))
    }

    @Test("a session that holds gets Apple's token, with the card that was chosen")
    func token() throws {
        let token = try JSONValue(parsing: pay(session()).body)
        #expect(token["paymentMethod"]?["displayName"] == "Orchard Bank Debit 4289")
        #expect(token["paymentMethod"]?["network"] == "ChinaUnionPay")
        #expect(token["paymentMethod"]?["type"] == "debit")
        #expect(token["paymentData"]?["version"] == "EC_v1")
        #expect(token["transactionIdentifier"]?.string?.utf8.count == 64)
        let credit = try JSONValue(parsing: pay(session(), ["card": "travel"]).body)
        #expect(credit["paymentMethod"]?["type"] == "credit")
        #expect(credit["transactionIdentifier"] != token["transactionIdentifier"])
    }

    @Test("there is no token without a session that the session server gave for this page")
    func sessions() throws {
        let cases: [(JSONValue, String)] = [
            (try session(by: stranger), "not what Apple's server answered"),
            (try session(changing: ("domainName", "evil.example")), "not what Apple's server answered"),
            (try session(changing: ("expiresAt", .integer(.max))), "not what Apple's server answered"),
            (try session(changing: ("extra", 1)), "not what Apple's server answered"),
            (try session(changing: ("signature", "00")), "not what Apple's server answered"),
            ([:], "not what Apple's server answered"), ("session", "not what Apple's server answered"),
            (try session(to: "merchant.example.other"), "another merchant's"),
            (try session(for: "tea.example"), "for pages of tea.example"), (try session(age: 300_000), "has ended"),
        ]
        for (session, reason) in cases {
            let problem = #expect(throws: Problem.self, "\(reason)") { try pay(session) }
            #expect(problem?.code == "session-refused")
            #expect(problem?.detail?.contains(reason) == true, "\(problem?.detail ?? "")")
        }
        #expect(try pay(session(age: 299_000)).status == .ok)
    }

    @Test(
        "a request that is none is refused",
        arguments: [
            (["card": "gold"], "card-unknown"), (["amount": "1,00"], "invalid-amount"),
            (["amount": "-1.00"], "invalid-amount"), (["amount": "1.001"], "invalid-amount"),
            (["amount": "99999999999999999999.00"], "invalid-amount"), (["currency": "XXX"], "invalid-amount"),
            (["merchantIdentifier": "merchant.example.other"], "merchant-unknown"),
            (["applicationData": "***"], "invalid-body"), (["card": .null], "invalid-body"),
            (["session": .null], "invalid-body"), (["accountNumber": "6228"], "invalid-body"),
            (["card": 1], "invalid-body"),
        ] as [([String: JSONValue], String)])
    func refused(_ changes: [String: JSONValue], _ code: String) throws {
        let session = try session()
        let problem = #expect(throws: Problem.self) { try pay(session, changes) }
        #expect(problem?.code == code)
    }

    @Test("each card has a number of its own, which no page sees")
    func cards() {
        #expect(Set(StandInCard.all.map(\.number)).count == StandInCard.all.count)
        for card in StandInCard.all {
            let text = String(decoding: card.json.bytes, as: UTF8.self)
            #expect(!text.contains(card.number))
            #expect(text.contains(card.suffix))
        }
    }
}
