import OrchardCrypto
import OrchardJSON

/// A route of an order's ticket, and the cards that use it.
///
/// order-ledger chooses when it issues the ticket; the gateway only follows. So the same ticket leads to the same
/// account, also after a change of `merchants.json`. No account is in it: devices read tickets.
public struct TicketRoute: Hashable, Sendable {
    public let route: RouteReference
    /// The networks that use it, by the kind of card data.
    public let networks: [PaymentDataType: [CardNetwork]]

    public init(_ route: RouteReference, networks: [PaymentDataType: [CardNetwork]]) {
        self.route = route
        self.networks = networks
    }

    func accepts(_ card: CardSummary) -> Bool { networks[card.paymentData, default: []].contains(card.network) }
}

extension TicketRoute {
    /// Reads `{"cards": {"EMV": ["chinaUnionPay"]}, "digest": "32 hex digits", "id": "unionpay-1"}`.
    init(json reader: inout JSONReader) throws(JSONError) {
        var (id, digest): (String?, [UInt8]?)
        var networks: [PaymentDataType: [CardNetwork]]?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "cards": networks = try Self.cards(&reader)
            case "digest": digest = try reader.hex(bytes: RouteReference.digestSize)
            case "id":
                let text = try reader.string(upTo: AcquirerRoute.maximumIDSize)
                guard AcquirerRoute.isID(text) else { throw reader.error(.value, "this is no route's id") }
                id = text
            default: throw reader.unknownMember()
            }
        }
        self.init(
            RouteReference(id: try reader.required(id, "id"), digest: try reader.required(digest, "digest")),
            networks: try reader.required(networks, "cards"))
    }

    private static func cards(_ reader: inout JSONReader) throws(JSONError) -> [PaymentDataType: [CardNetwork]] {
        var networks: [PaymentDataType: [CardNetwork]] = [:]
        try reader.object { reader, name throws(JSONError) in
            guard let kind = PaymentDataType(rawValue: name.description) else { throw reader.unknownMember() }
            var list: [CardNetwork] = []
            try reader.array { reader throws(JSONError) in list.append(try reader.word()) }
            networks[kind] = list
        }
        return networks
    }

    func write(to object: inout JSONObjectWriter) {
        object.object("cards") { object in
            // The cases stand in the order of their names.
            for kind in PaymentDataType.allCases {
                if let networks = networks[kind] { object.member(kind.rawValue, networks.map(\.rawValue)) }
            }
        }
        object.member("digest", Hex.encode(route.digest))
        object.member("id", route.id)
    }
}

extension [TicketRoute] {
    /// Whether no card has two routes.
    var isUnambiguous: Bool {
        var seen: Set<[String]> = []
        return allSatisfy { route in
            route.networks.allSatisfy { kind, networks in
                networks.allSatisfy { seen.insert([kind.rawValue, $0.rawValue]).inserted }
            }
        }
    }
}
