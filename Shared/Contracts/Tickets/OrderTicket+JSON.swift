import OrchardCrypto
import OrchardJSON

extension OrderTicket: ContractValue {
    static let issuer = "order-ledger"
    static let audience = "orchard"

    /// Reads the claims; unlike events, a ticket with claims that are not known is refused: a new claim always has a
    /// meaning.
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, revision, amount): (OrderID?, MerchantID?, Int64?, Money?)
        var (captureMode, pendingTotal, networks): (CaptureMode?, Bool?, [CardNetwork]?)
        var routes: [TicketRoute]?
        var (shippingMethod, region, cardTypes): (String?, Region?, [CardType]?)
        var (linesDigest, partitions, issuedAt, expiresAt): ([UInt8]?, Int?, Int64?, Int64?)
        var (billingFields, shippingFields): ([ContactField], [ContactField]) = ([], [])
        var allowsMissingApplicationData = false
        var (issuer, audience, language): (String?, String?, SheetLanguage?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "aud": audience = try reader.string(upTo: 64)
            case "billingContactFields": billingFields = try reader.contactFields()
            case "captureMode": captureMode = try reader.word()
            case "cardTypes":
                var list: [CardType] = []
                try reader.array { reader throws(JSONError) in list.append(try reader.word()) }
                cardTypes = list
            case "exp": expiresAt = try reader.int64()
            case "iat": issuedAt = try reader.int64()
            case "iss": issuer = try reader.string(upTo: 64)
            case "language": language = try reader.word()
            case "linesDigest": linesDigest = try reader.hex(bytes: 32)
            case "merchantId": merchant = try reader.identifier()
            case "missingApplicationData": allowsMissingApplicationData = try reader.bool()
            case "networks":
                var list: [CardNetwork] = []
                try reader.array { reader throws(JSONError) in list.append(try reader.word()) }
                networks = list
            case "orderId": order = try reader.identifier()
            case "partitions": partitions = try reader.int(in: 1...Int(Int32.max))
            case "pendingTotal": pendingTotal = try reader.bool()
            case "region": region = try reader.region()
            case "revision": revision = Int64(try reader.int(in: 1...Int.max))
            case "routes":
                var list: [TicketRoute] = []
                try reader.array { reader throws(JSONError) in list.append(try TicketRoute(json: &reader)) }
                guard list.isUnambiguous else { throw reader.error(.value, "a card has one route at most") }
                routes = list
            case "shippingContactFields": shippingFields = try reader.contactFields()
            case "shippingMethod": shippingMethod = try reader.string(upTo: 64)
            default: throw reader.unknownMember()
            }
        }
        guard try reader.required(issuer, "iss") == Self.issuer, try reader.required(audience, "aud") == Self.audience
        else { throw reader.error(.value, "the ticket has another issuer or audience") }
        let range = Int64(0)...253_402_300_799
        let (issued, expires) = (try reader.required(issuedAt, "iat"), try reader.required(expiresAt, "exp"))
        guard range.contains(issued), range.contains(expires), expires > issued,
            .seconds(expires - issued) <= Self.maximumLife
        else { throw reader.error(.range, "a ticket is valid from iat to exp, for 15 minutes at most") }
        let mode = try reader.required(captureMode, "captureMode")
        let isTotalPending = try reader.required(pendingTotal, "pendingTotal")
        guard mode == .authorise || !isTotalPending else {
            throw reader.error(.value, "a sale takes a final total only")
        }
        let due = try reader.required(amount, "amount")
        guard due.minorUnits >= 0 else { throw reader.error(.range, "an amount due is at least zero") }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            revision: try reader.required(revision, "revision"), amount: due,
            captureMode: mode, isTotalPending: isTotalPending,
            networks: try reader.required(networks, "networks"), routes: try reader.required(routes, "routes"),
            shippingMethod: shippingMethod, region: region, cardTypes: cardTypes,
            requiredContact: RequiredContact(shipping: shippingFields, billing: billingFields),
            allowsMissingApplicationData: allowsMissingApplicationData, language: language,
            linesDigest: try reader.required(linesDigest, "linesDigest"),
            partitions: Int32(try reader.required(partitions, "partitions")), issuedAt: Timestamp(seconds: issued),
            expiresAt: Timestamp(seconds: expires))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.object("amount") { amount.write(to: &$0) }
        object.member("aud", Self.audience)
        Self.write(requiredContact.billing, as: "billingContactFields", to: &object)
        object.member("captureMode", captureMode.rawValue)
        if let cardTypes { object.member("cardTypes", cardTypes.map(\.rawValue)) }
        object.member("exp", expiresAt.seconds)
        object.member("iat", issuedAt.seconds)
        object.member("iss", Self.issuer)
        object.member("language", language?.rawValue)
        object.member("linesDigest", Hex.encode(linesDigest))
        object.member("merchantId", merchant.description)
        if allowsMissingApplicationData { object.member("missingApplicationData", true) }
        object.member("networks", networks.map(\.rawValue))
        object.member("orderId", order.description)
        object.member("partitions", Int64(partitions))
        object.member("pendingTotal", isTotalPending)
        object.member("region", region?.description)
        object.member("revision", revision)
        object.array("routes") { array in
            for route in routes { array.object { route.write(to: &$0) } }
        }
        Self.write(requiredContact.shipping, as: "shippingContactFields", to: &object)
        object.member("shippingMethod", shippingMethod)
    }

    private static func write(_ fields: [ContactField], as name: String, to object: inout JSONObjectWriter) {
        if !fields.isEmpty { object.member(name, fields.map(\.rawValue)) }
    }
}
