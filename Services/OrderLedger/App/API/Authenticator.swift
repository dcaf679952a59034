import Contracts
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON

/// Identifies the caller: a shop's server by its API key, or a device by the ticket of its order.
struct Authenticator: Sendable {
    /// Who may read or cancel an order.
    enum Reader: Sendable {
        case merchant(Merchant, keyID: String)
        case device(OrderTicket)

        /// The device's ticket.
        var ticket: OrderTicket? { if case .device(let ticket) = self { ticket } else { nil } }
    }

    let merchants: MerchantRegistry
    let tickets: TicketIssuer
    let limits: RequestLimits

    /// The merchant whose API key the request carries, and the key's name.
    ///
    /// - Parameter scope: what the key must allow.
    func merchant(
        _ request: HTTPRequest, _ scope: APIKey.Scope
    ) throws(Problem) -> (merchant: Merchant, keyID: String) {
        guard let key = request.bearerToken, let found = merchants.merchant(forAPIKey: String(key)) else {
            throw Self.unauthorised("send the merchant's API key as Authorization: Bearer …")
        }
        try admit(found, scope)
        return (found.merchant, found.key.id)
    }

    private func admit(_ found: (merchant: Merchant, key: APIKey), _ scope: APIKey.Scope) throws(Problem) {
        let key = found.key
        try limits.keys.admit("\(found.merchant.id)/\(key.id)")
        guard !key.scopes.contains(scope) else { return }
        throw Problem(
            .forbidden, code: "scope-missing", detail: "the API key \(key.id) has no scope \(scope.rawValue)",
            members: ["scope": .string(scope.rawValue)])
    }

    /// The ticket that the request carries, which must be this order's.
    ///
    /// Another order's ticket gets the same 404 as an order that does not exist.
    func ticket(
        _ request: HTTPRequest, for order: OrderID, use: TicketVerifier.Use
    ) throws(Problem) -> OrderTicket {
        guard let token = request.bearerToken else {
            throw Self.unauthorised("send the order's ticket as Authorization: Bearer …")
        }
        let ticket: OrderTicket
        do {
            ticket = try tickets.verify(String(token), for: use)
        } catch {
            throw Self.unauthorised(error.reason, code: error.code == .expired ? "ticket-expired" : "ticket-invalid")
        }
        guard ticket.order == order else { throw .noSuchOrder }
        try limits.tickets.admit(order.description)
        return ticket
    }

    /// Returns who may read or cancel this order: the ticket's holder or a merchant. The caller checks whose order it is.
    ///
    /// - Parameter scope: what an API key must allow.
    func reader(
        _ request: HTTPRequest, of order: OrderID, _ scope: APIKey.Scope = .read
    ) throws(Problem) -> Reader {
        // An API key is any text: a key that looks like a ticket is still a key.
        if let key = request.bearerToken, let found = merchants.merchant(forAPIKey: String(key)) {
            try admit(found, scope)
            return .merchant(found.merchant, keyID: found.key.id)
        }
        guard request.bearerToken?.contains(".") == true else {
            throw Self.unauthorised("send the merchant's API key or the order's ticket as Authorization: Bearer …")
        }
        return .device(try ticket(request, for: order, use: .status))
    }

    private static func unauthorised(_ detail: String, code: String = "unauthorised") -> Problem {
        Problem(.unauthorized, code: code, detail: detail, fields: ["WWW-Authenticate": "Bearer"])
    }
}

/// How often callers may ask.
struct RequestLimits: Sendable {
    /// By API key.
    let keys: RateLimiter
    /// By order: all its tickets count together.
    let tickets: RateLimiter
}

extension Problem {
    /// The answer is the same for an order that does not exist and for an order of another caller.
    static var noSuchOrder: Problem {
        Problem(.notFound, code: "no-such-order", detail: "there is no such order for this key or ticket")
    }
}
