import Foundation

@testable import OrchardClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Orchard's services as a script: answers request after request, and remembers them.
actor ScriptedServer: HTTPTransport {
    enum Reply: Sendable {
        case answer(Int, String, retryAfter: Int? = nil)
        case lost(URLError.Code)

        static let accepted = Reply.answer(202, #"{"orderId":"o1","paymentId":"p1","status":"processing"}"#)
        static let paid = payment("paid", 0)
        static let processing = payment("processing", 0, isFinal: false)

        static func payment(_ status: String, _ passKit: Int, isFinal: Bool = true, message: String? = nil) -> Reply {
            let message = message.map { #""message":"\#($0)","# } ?? ""
            return .answer(
                200,
                #"{"applePay":{"errors":[],"passKit":{"errors":[],"status":\#(passKit)},"status":"STATUS"},"#
                    + #""final":\#(isFinal),"known":true,\#(message)"orderId":"o1","paymentId":"p1","status":"\#(status)"}"#
            )
        }

        /// An answer to a question of the sheet.
        static func sheet(_ total: String, ticket: String, more: String = "") -> Reply {
            .answer(
                200,
                #"{"expiresAt":"2026-11-25T12:00:00Z","orderId":"o1","passKitUpdate":{"paymentSummaryItems":["#
                    + #"{"amount":"\#(total)","label":"Tea House","type":0}],"status":0\#(more)},"#
                    + #""revision":2,"ticket":"\#(ticket)"}"#)
        }

        static func ticket(_ ticket: String) -> Reply {
            .answer(200, #"{"expiresAt":"2026-11-25T12:00:00Z","orderId":"o1","revision":1,"ticket":"\#(ticket)"}"#)
        }

        static func problem(_ status: Int, _ code: String, more: String = "") -> Reply {
            .answer(status, #"{"code":"\#(code)","status":\#(status),"title":"T","type":"urn:x"\#(more)}"#)
        }

        static let late = problem(409, "payment-late", more: #","orderId":"o1","paymentId":"p1""#)
    }

    struct Request: Equatable, Sendable {
        let line: String
        let ticket: String
        let body: String
        let timeout: Double
    }

    private var replies: [Reply]
    private(set) var requests: [Request] = []

    /// - Parameter replies: the last one is given again and again.
    init(_ replies: Reply...) { self.replies = replies }

    var lines: [String] { requests.map(\.line) }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        guard let url = request.url, !replies.isEmpty else { throw URLError(.badURL) }
        let query = url.query.map { "?\($0)" } ?? ""
        requests.append(
            Request(
                line: "\(request.httpMethod ?? "") \(url.path)\(query)",
                ticket: request.value(forHTTPHeaderField: "Authorization") ?? "",
                body: String(decoding: request.httpBody ?? Data(), as: UTF8.self),
                timeout: request.timeoutInterval))
        // As a long poll does, but not for as long.
        if query != "" { try await Task.sleep(for: .milliseconds(20)) }
        switch replies.count == 1 ? replies[0] : replies.removeFirst() {
        case .lost(let code): throw URLError(code)
        case .answer(let status, let body, let seconds):
            let fields = seconds.map { ["Retry-After": "\($0)"] }
            guard let head = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
            else {
                throw URLError(.badServerResponse)
            }
            return (Data(body.utf8), head)
        }
    }
}
