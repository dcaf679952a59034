import OrchardJSON

/// What the shop sells, how it ships, and which codes it takes.
enum Catalogue {
    static let currency = "CNY"
    /// As the pages are titled.
    static let shopName = "Orchard Tea"

    /// One thing that the shop sells.
    struct Product: Sendable {
        let id: String
        /// Shown to customers. It may be any text, so pages must not take it for markup.
        let name: String
        let detail: String
        /// As orders have it: exactly two decimals.
        let price: String
        /// A path of the shop's pages.
        let image: String

        var json: JSONValue {
            [
                "id": .string(id), "name": .string(name), "detail": .string(detail), "price": .string(price),
                "image": .string(image),
            ]
        }
    }

    static let products = [
        Product(
            id: "oolong", name: "Mountain oolong", detail: "Half fermented, from a slope above the clouds. 100 g",
            price: "45.00", image: "/images/oolong.svg"),
        Product(
            id: "green", name: "Spring green", detail: "Picked before the rains of April. 100 g", price: "38.50",
            image: "/images/green.svg"),
        Product(
            id: "black", name: "Smoked black", detail: "Dried over pine wood. 125 g", price: "32.00",
            image: "/images/black.svg"),
        Product(
            id: "jasmine", name: "Jasmine pearls", detail: "Rolled by hand, scented six nights. 50 g",
            price: "58.00", image: "/images/jasmine.svg"),
        Product(
            id: "white", name: "Silver needle", detail: "Only buds, dried in the shade. 40 g", price: "88.00",
            image: "/images/white.svg"),
        Product(
            id: "puer", name: "Aged pu'er cake", detail: "Ten years in a cool cellar. 357 g", price: "128.00",
            image: "/images/puer.svg"),
        Product(
            id: "teapot", name: "Clay teapot", detail: "Unglazed, from Yixing, for three cups", price: "168.00",
            image: "/images/teapot.svg"),
        Product(
            id: "cup", name: "Porcelain cup", detail: "Thin, white, for two mouthfuls", price: "19.00",
            image: "/images/cup.svg"),
        // Nobody may be able to run a script by naming a product.
        Product(
            id: "sample", name: "<img src=x onerror=alert(1)> sample", detail: "A small bag. <script>alert(2)</script>",
            price: "1.50", image: "/images/sample.svg"),
    ]

    static var json: JSONValue { .array(products.map(\.json)) }

    /// The most of one product in a cart.
    static let maximumQuantity = 20

    /// Ways to ship. The second goes to some places only, and neither goes to other countries.
    static let shippingMethods: JSONValue = [
        [
            "identifier": "standard", "label": "Standard", "detail": "3 to 5 days", "amount": "8.00",
            "regions": ["CN"],
        ],
        [
            "identifier": "express", "label": "Express", "detail": "Tomorrow", "amount": "18.00",
            "regions": ["CN/上海市", "CN/江苏省", "CN/浙江省"],
        ],
    ]

    /// Codes: a tenth off, a fixed discount, and one whose time is over.
    static let coupons: JSONValue = [
        ["code": "TEA10", "label": "Tea week", "percent": 10],
        ["code": "WELCOME", "label": "Welcome", "amount": "5.00"],
        ["code": "SPRING", "label": "Spring sale", "amount": "10.00", "expiresAt": "2020-04-30T16:00:00Z"],
    ]
}
