import OrchardJSON

/// What a customer wants to buy: the body of `POST /api/orders`. Names and prices are the shop's, never the page's.
///
///     {"items": [{"id": "oolong", "quantity": 2}]}
struct Cart: Hashable, Sendable {
    /// One product and how many of it.
    struct Item: Hashable, Sendable {
        let product: String
        let quantity: Int
    }

    let items: [Item]

    /// - Throws: `JSONError` naming what is missing, unknown, twice, or too much.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        items = try JSONReader.read(bytes, maximumDepth: 4, maximumValues: 256) { reader throws(JSONError) in
            var items: [Item]?
            try reader.object { reader, name throws(JSONError) in
                guard name == "items" else { throw reader.unknownMember() }
                var list: [Item] = []
                try reader.array { reader throws(JSONError) in list.append(try Self.item(&reader, after: list)) }
                items = list
            }
            let list = try reader.required(items, "items")
            guard !list.isEmpty else { throw reader.error(.value, "the cart is empty") }
            return list
        }
    }

    private static func item(_ reader: inout JSONReader, after items: [Item]) throws(JSONError) -> Item {
        var (product, quantity): (String?, Int?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "id": product = try reader.string(upTo: 64)
            case "quantity": quantity = try reader.int(in: 1...Catalogue.maximumQuantity)
            default: throw reader.unknownMember()
            }
        }
        let (id, count) = (try reader.required(product, "id"), try reader.required(quantity, "quantity"))
        guard Catalogue.products.contains(where: { $0.id == id }) else {
            throw reader.error(.value, "the shop sells no product of this id")
        }
        guard !items.contains(where: { $0.product == id }) else {
            throw reader.error(.value, "a product is in the cart twice")
        }
        return Item(product: id, quantity: count)
    }

    /// The body of `POST /v1/orders` at order-ledger.
    func order(reference: String, expiresAt: String) -> JSONValue {
        let lines = items.compactMap { item in
            Catalogue.products.first { $0.id == item.product }.map { product -> JSONValue in
                [
                    "label": .string(product.name), "quantity": .integer(Int64(item.quantity)),
                    "unitAmount": .string(product.price),
                ]
            }
        }
        return [
            "currency": .string(Catalogue.currency), "reference": .string(reference), "language": "en",
            "lines": .array(lines), "coupons": Catalogue.coupons, "shippingType": "shipping",
            "shippingMethods": Catalogue.shippingMethods, "shippingMethod": "standard",
            "shippingContactFields": ["email", "name", "phone", "postalAddress"],
            "expiresAt": .string(expiresAt),
        ]
    }
}
