import OrchardHTTPTypes
import OrchardJSON

/// What the shop tells its pages about the services.
struct StorefrontSetting: Sendable {
    let web: WebShop
    let merchant: DemoMerchant
    /// Addresses of the services, as a browser reaches them.
    let ledger: String
    let ingest: String

    /// The answer of `GET /api/config`.
    var json: JSONValue {
        [
            "ledger": .string(ledger), "ingest": .string(ingest), "shopName": .string(merchant.name),
            "currency": .string(Catalogue.currency), "countryCode": "CN",
            "merchantIdentifier": .string(merchant.appleIdentifier),
            // What a browser without Apple Pay gives to onvalidatemerchant.
            "sessionServer": .string("https://\(web.sessionServer)/paymentservices/paymentSession"),
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
