import Contracts
import KeyFiles
import OrchardHTTPServer
import OrchardServiceKit

/// The routes of the public port.
///
/// | request | who | does |
/// |---|---|---|
/// | `POST /v1/payments` | ticket | takes a token: 202 when Kafka holds the command to charge |
/// | `POST /v1/apple-pay/session` | ticket, from a page of the merchant's origins | asks Apple for a merchant session |
/// | `GET /.well-known/apple-developer-merchantid-domain-association` | everybody | the file of the host's domain, for Apple |
struct IngestAPI: Sendable {
    let payments: PaymentEndpoint
    let sessions: SessionEndpoint
    let merchants: CheckedFile<IngestMerchants>

    var router: Router {
        var router = Router()
        router.addHealth()
        let browsers = BrowserAccess { [merchants] in merchants.current.registry.allows(origin: $0) }
        payments.addRoutes(to: &router, for: browsers)
        sessions.addRoutes(to: &router, for: browsers)
        merchants.addAssociations(to: &router)
        return router
    }
}
