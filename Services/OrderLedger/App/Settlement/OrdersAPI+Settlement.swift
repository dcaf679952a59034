import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres

extension OrdersAPI {
    /// `GET /v1/settlements?date=` or `?from=&to=`, `&account=`: the merchant's settled days as they were last reconciled.
    func listSettlements(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .settlements)
        let query = try SettlementQuery(request)
        let items = try await database.withConnection { connection in
            try await SettlementDays(connection: connection).items(
                of: merchant.id, query.dates, account: query.account)
        }
        // Reports are canonical JSON, and can be large: they are not read again.
        let reports = items.map(\.report).joined(separator: Array(",".utf8))
        return .json(Array(#"{"days":["#.utf8) + reports + Array("]}".utf8))
    }
}

/// Which settled days a shop asks for.
private struct SettlementQuery {
    let dates: ClosedRange<SettlementDate>
    var account: String?

    /// The most days of a request.
    static let maximum = 31

    init(_ request: HTTPRequest) throws(Problem) {
        guard let pairs = request.query else { throw Self.wrong("", "the query cannot be decoded") }
        var (date, from, to): (SettlementDate?, SettlementDate?, SettlementDate?)
        for (name, value) in pairs {
            switch name {
            case "account": account = value
            case "date": date = try Self.date(name, value)
            case "from": from = try Self.date(name, value)
            case "to": to = try Self.date(name, value)
            default: throw Self.wrong(name, "there is no such filter")
            }
        }
        switch (date, from, to) {
        case (let date?, nil, nil): dates = date...date
        case (nil, let from?, let to?):
            guard from <= to, to < from.adding(days: Self.maximum) else {
                throw Self.wrong("to", "at most \(Self.maximum) days from the day of from are expected")
            }
            dates = from...to
        default: throw Self.wrong("date", "send date, or from and to")
        }
    }

    private static func date(_ name: String, _ value: String) throws(Problem) -> SettlementDate {
        guard let date = SettlementDate(value) else { throw wrong(name, "a day as in 2026-11-24 is expected") }
        return date
    }

    private static func wrong(_ name: String, _ detail: String) -> Problem {
        Problem(.badRequest, code: "bad-query", detail: detail, members: ["field": .string(name)])
    }
}
