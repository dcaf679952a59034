import OrchardCrypto
import OrchardJOSE
import Testing

@testable import Contracts

@Suite("A merchant's routes")
struct MerchantRouteTests {
    private struct Route {
        var id: String
        var account = "777290058110048"
        var environment = "live"
        var currencies = ["CNY"]
        var kinds = ["EMV"]
        var networks: [String]?
        var acquirer = "unionpay"
        var captureModes: [String]?

        var json: String {
            """
            {"id": "\(id)", "acquirer": "\(acquirer)", "account": "\(account)", "environment": "\(environment)",
             "currencies": \(currencies), "paymentData": \(kinds), "settings": {}
             \(networks.map { ", \"networks\": \($0)" } ?? "")
             \(captureModes.map { ", \"captureModes\": \($0)" } ?? "")}
            """
        }
    }

    private func merchant(
        _ routes: [Route], networks: [String] = ["chinaUnionPay", "visa"], id: MerchantID = Samples.merchant,
        privateLabelRanges: [String] = []
    ) throws -> Merchant {
        let text = """
            {"merchants": [{"id": "\(id)", "displayName": "Tea", "countryCode": "CN", "networks": \(networks),
              "privateLabelRanges": \(privateLabelRanges),
              "applePay": {"merchantIdentifier": "merchant.com.example.tea", "keys": [{"key": "k"}]},
              "routes": [\(routes.map(\.json).joined(separator: ","))],
              "apiKeys": [{"id": "shop-1", "sha256": "\(String(repeating: "0", count: 64))"}]}]}
            """
        return try #require(try MerchantRegistry(parsing: Array(text.utf8)).merchants.first)
    }

    @Test("go into the ticket by kind of card data and network: the first that accepts them in the currency")
    func chosen() throws {
        let merchant = try merchant([
            Route(id: "yen", currencies: ["JPY"], kinds: ["EMV", "3DSecure"]),
            Route(id: "cup", networks: ["chinaUnionPay"]), Route(id: "all", kinds: ["EMV", "3DSecure"]),
            Route(id: "never", currencies: ["CNY", "JPY"]),
        ])
        let routes = merchant.ticketRoutes(in: .cny)
        #expect(routes.map(\.route.id) == ["cup", "all"])
        #expect(routes.map { $0.networks[.emv] } == [[.chinaUnionPay], [.visa]])
        #expect(routes.map { $0.networks[.threeDSecure] } == [nil, [.chinaUnionPay, .visa]])
        #expect(merchant.ticketRoutes(in: try #require(Currency("JPY"))).map(\.route.id) == ["yen"])
        #expect(merchant.ticketRoutes(in: try #require(Currency("USD"))).isEmpty)
    }

    @Test("take the orders whose capture mode they can: both without a word of UnionPay's, sales of others")
    func captureModes() throws {
        let merchant = try merchant([
            Route(id: "other", acquirer: "elsewhere"), Route(id: "cup", networks: ["chinaUnionPay"]),
            Route(id: "sales", captureModes: ["sale"]),
            Route(id: "holds", acquirer: "elsewhere", captureModes: ["authorise"]),
        ])
        #expect(merchant.ticketRoutes(in: .cny).map(\.route.id) == ["other"])
        let holds = merchant.ticketRoutes(in: .cny, for: .authorise)
        #expect(holds.map(\.route.id) == ["cup", "holds"])
        #expect(holds.map { $0.networks[.emv] } == [[.chinaUnionPay], [.visa]])
        for modes in [[], ["later"]] {
            #expect(throws: MerchantRegistryError.self) { try self.merchant([Route(id: "a", captureModes: modes)]) }
        }
    }

    @Test("take a store's own cards only where they name private label")
    func privateLabel() throws {
        func networks(_ routes: [Route]) throws -> [[CardNetwork]?] {
            try self.merchant(routes, networks: ["privateLabel", "visa"], privateLabelRanges: ["603574", "4000001"])
                .ticketRoutes(in: .cny).map { $0.networks[.emv] }
        }
        #expect(try networks([Route(id: "all")]) == [[.visa]])
        #expect(
            try networks([Route(id: "all"), Route(id: "own", networks: ["privateLabel"])]) == [
                [.visa], [.privateLabel],
            ])
        let merchant = try self.merchant(
            [Route(id: "a")], networks: ["privateLabel", "visa"], privateLabelRanges: ["603574", "4000001"])
        for (number, network) in [
            ("6035740000000000", .privateLabel), ("6035750000000000", nil), ("4000001000000000", .privateLabel),
            ("4000002000000000", .visa),
        ] as [(String, CardNetwork?)] {
            #expect(merchant.network(ofCardNumber: Array(number.utf8)) == network)
        }
    }

    @Test(
        "A store's own cards need ranges of 6 to 12 digits, and ranges need the network",
        arguments: [
            (["privateLabel"], []), (["visa"], ["603574"]), (["privateLabel"], ["60357"]),
            (["privateLabel"], ["6035740000001"]), (["privateLabel"], ["60357a"]),
        ] as [([String], [String])])
    func wrongPrivateLabel(_ networks: [String], _ ranges: [String]) {
        let error = #expect(throws: MerchantRegistryError.self) {
            try merchant([Route(id: "a")], networks: networks, privateLabelRanges: ranges)
        }
        #expect(error?.description.contains("privateLabelRanges") == true)
    }

    @Test("are found while they lead to the account of the ticket")
    func found() throws {
        let then = try merchant([Route(id: "a")])
        let reference = try #require(then.ticketRoutes(in: .cny).first).route
        #expect(then.route(reference)?.id == "a")
        // Keys are changed and kinds of cards are added without leading to another account.
        #expect(
            try merchant([Route(id: "b"), Route(id: "a", kinds: ["EMV", "3DSecure"])]).route(reference)?.id == "a")
        #expect(try merchant([Route(id: "b")]).route(reference) == nil)
        #expect(try merchant([Route(id: "a", account: "777290058110049")]).route(reference) == nil)
        #expect(try merchant([Route(id: "a", environment: "test")]).route(reference) == nil)
        let other = MerchantID(hash: [UInt8](repeating: 9, count: 32))
        #expect(try merchant([Route(id: "a")], id: other).route(reference) == nil)
    }

    @Test("do not show the account to devices")
    func hidden() throws {
        let merchant = try merchant([Route(id: "a")])
        var ticket = Samples.ticket
        ticket = OrderTicket(
            order: ticket.order, merchant: ticket.merchant, revision: 1, amount: ticket.amount, networks: [],
            routes: merchant.ticketRoutes(in: .cny), linesDigest: ticket.linesDigest, partitions: 12,
            issuedAt: ticket.issuedAt, expiresAt: ticket.expiresAt)
        let text = String(decoding: ticket.json, as: UTF8.self)
        #expect(text.contains("\"id\":\"a\"") && !text.contains("777290058110048"))
    }

    @Test("have unique names, and are at most so many that the largest ticket fits")
    func bounds() throws {
        #expect(throws: MerchantRegistryError.self) { try merchant([Route(id: "a"), Route(id: "a")]) }
        let names = CardNetwork.schemes.map(\.rawValue)
        var routes: [Route] = []
        for kind in ["EMV", "3DSecure"] {
            for name in names {
                let id = String(String(repeating: "r", count: 30) + "\(10 + routes.count)")
                routes.append(Route(id: id, kinds: [kind], networks: [name]))
            }
        }
        let large = try merchant(routes, networks: names).ticketRoutes(in: .cny)
        #expect(large.count == 16)
        let ticket = OrderTicket(
            order: Samples.order, merchant: Samples.merchant, revision: .max,
            amount: Money(minorUnits: .max, currency: .cny), networks: CardNetwork.allCases,
            routes: large, shippingMethod: String(repeating: "s", count: 64),
            region: Region("CN/" + String(repeating: "r", count: 61)),
            cardTypes: CardType.allCases, linesDigest: Samples.digest, partitions: .max,
            issuedAt: Samples.ticket.issuedAt, expiresAt: Samples.ticket.expiresAt)
        let key = try P256PrivateKey.generate()
        let compact = try TicketSigner(keyID: JWK.thumbprint(of: key.publicKey), key: key).sign(ticket)
        #expect(compact.utf8.count <= TicketVerifier.maximumSize)
        routes.append(Route(id: "more"))
        #expect(throws: MerchantRegistryError.self) { try merchant(routes, networks: names) }
    }

    @Test(
        "A reference as a database has it is read when it is one",
        arguments: [("unionpay-1", 16, true), ("unionpay-1", 1, false), ("unionpay-1", 32, false), ("", 16, false)])
    func stored(_ id: String, _ size: Int, _ isRead: Bool) {
        let digest = [UInt8](repeating: 4, count: size)
        #expect((RouteReference(stored: id, digest: digest) != nil) == isRead)
    }
}
