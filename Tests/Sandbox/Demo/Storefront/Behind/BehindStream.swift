import Contracts
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit

/// `GET /api/behind`: server-sent events (WHATWG HTML §9.2).
///
/// The server answers with whole bodies, so an answer has what has come since the browser's last event, or waits for
/// it, and ends. `EventSource` asks again by itself.
struct BehindStream: Sendable {
    let feed: BehindFeed
    /// How long an answer waits for something.
    var longestWait = Duration.seconds(20)

    /// - Throws: 400 for an order that is none, 503 when too many listen.
    func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
        let order = try Self.order(request)
        let last = number(request.fields["Last-Event-ID"])
        // A shutdown ends the waiting.
        let events = try await cancelWhenGracefulShutdown { [feed, longestWait] in
            try await feed.wait(after: last, of: order, for: longestWait)
        }
        return HTTPResponse(
            status: .ok, fields: ["Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store"],
            body: text(of: events))
    }

    /// The body: how soon to ask again, then each event on lines of its own.
    func text(of events: [BehindFeed.Numbered]) -> [UInt8] {
        var body = Array("retry: 50\n\n".utf8)
        for event in events {
            body += Array("id: \(feed.run)-\(event.number)\ndata: ".utf8)
            // JSON has no line ends of its own.
            body += event.event.json.bytes
            body += Array("\n\n".utf8)
        }
        return events.isEmpty ? body + Array(": nothing new\n\n".utf8) : body
    }

    /// The number of the last event that a browser has; 0, from the beginning, for one of another run or none.
    func number(_ lastEventID: String?) -> Int {
        guard let parts = lastEventID?.split(separator: "-", omittingEmptySubsequences: false), parts.count == 2,
            parts[0] == feed.run,
            let number = Int(parts[1]), number >= 0
        else { return 0 }
        return number
    }

    private static func order(_ request: HTTPRequest) throws(Problem) -> OrderID? {
        guard let text = request.queryValue("order") else { return nil }
        guard let order = OrderID(text) else {
            throw Problem(.badRequest, code: "invalid-order", detail: "order is the identifier of an order")
        }
        return order
    }
}
