import OrchardHTTPTypes
import OrchardJSON

/// What the shop tells its pages about the services.
struct StorefrontSetting: Sendable {
    /// Where the pages are: the first one is told to others.
    let origins: [String]
    let shopName: String
    /// Apple's identifier of the merchant.
    let merchant: String
    /// Addresses of the services, as a browser reaches them.
    let ledger: String
    let ingest: String
    /// Host and port of the server of merchant sessions, as token-ingest is told it.
    let sessionServer: String
    /// Whether the shop can read the books and their entries: not those of services that it did not start.
    let hasBooks: Bool

    /// The answer of `GET /api/config`.
    var json: JSONValue {
        [
            "ledger": .string(ledger), "ingest": .string(ingest), "shopName": .string(shopName),
            "currency": .string(Catalogue.currency), "countryCode": "CN",
            "merchantIdentifier": .string(merchant),
            // What a browser without Apple Pay gives to onvalidatemerchant.
            "sessionServer": .string("https://\(sessionServer)/paymentservices/paymentSession"),
            "hasBooks": .bool(hasBooks),
        ]
    }

    /// What a page may load and call: only this server and the two services.
    var contentSecurityPolicy: String {
        "default-src 'self'; connect-src 'self' \(ledger) \(ingest); base-uri 'none'; form-action 'self'; "
            + "frame-ancestors 'self'; object-src 'none'"
    }

    /// Fields of every answer.
    var fields: [(name: String, value: String)] {
        [
            ("Content-Security-Policy", contentSecurityPolicy), ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Permissions-Policy", "payment=(self), camera=(), geolocation=(), microphone=()"),
        ]
    }
}
