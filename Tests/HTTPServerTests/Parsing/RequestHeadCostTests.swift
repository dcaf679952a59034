import OrchardHTTPTypes
import TestSupport
import Testing

@testable import OrchardHTTPServer

/// The loop of a server parses heads: one that takes long keeps every connection waiting.
@Suite("The cost of a request's head", .serialized)
struct RequestHeadCostTests {
    private static let length = 15_000

    private static let fields: [(name: String, field: String, isRefused: Bool)] = {
        let marks = CombiningMarks.text(length / 2)
        let allowed = CombiningMarks.streamSafeText(length / 2)
        return [
            ("marks in Connection", "Connection: \(marks)", true),
            ("30 marks a letter in Connection", "Connection: \(allowed)", false),
            ("marks in Authorization", "Authorization: Bearer \(marks)", true),
            ("30 marks a letter in Authorization", "Authorization: \(allowed)", false),
            ("30 marks a letter in Content-Type", "Content-Type: \(allowed)", false),
            ("commas", "Connection: " + String(repeating: ",", count: length), false),
        ]
    }()

    @Test("is at most 20 times that of a plain one of its length", arguments: fields)
    func bound(_ name: String, _ field: String, _ isRefused: Bool) {
        #expect(read("X: " + String(repeating: "é", count: Self.length / 2)))
        #expect(read(field) != isRefused)
        let plain = ThreadClock.cost(runs: 5) { _ = read("X: " + String(repeating: "a", count: Self.length)) }
        let cost = ThreadClock.cost(runs: 5, bound: 20 * plain) { _ = read(field) }
        #expect(cost <= 20 * plain, "\(name) costs \(Int(cost / plain)) plain heads")
    }

    /// Reads a request as the server and its first handlers do.
    ///
    /// - Returns: whether it was accepted.
    private func read(_ field: String) -> Bool {
        var limits = HTTPServerLimits()
        limits.headBytes = 16_384
        var parser = RequestParser(limits: limits)
        let bytes = Array("POST /v1/payments HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\(field)\r\n\r\nx".utf8)
        guard case .complete(let message)? = try? parser.receive(bytes.span) else { return false }
        _ = message.request.bearerToken
        try? message.request.requireContentType("application/json")
        return true
    }
}
