import Contracts
import Foundation
import OrchardJSON
import SandboxProcesses
import TestSupport
import Testing

/// What the shop does over HTTP.
extension TestServices {
    /// Opens an order, pays it, and waits until it is `paid` or `authorised`.
    func pay(_ amount: String, _ ledger: TestProcess, mode: String = "sale") async throws -> OrderID {
        let body = #"{"currency":"CNY","captureMode":"\#(mode)","lines":[{"label":"Tea","unitAmount":"\#(amount)"}]}"#
        let key = UUID().uuidString
        var opened = JSONValue.null
        // While the service starts it asks to repeat the request.
        try await ledger.until {
            opened = try await ask(ledger, "/v1/orders", body: body, key: key).json
            return opened["ticket"] != nil
        }
        let order = try #require(opened["orderId"]?.string.flatMap { OrderID($0) }, "\(opened)")
        try await charge(order, ticket: try #require(opened["ticket"]?.string))
        let end = mode == "sale" ? "paid" : "authorised"
        var shown = JSONValue.null
        do {
            try await ledger.until {
                shown = try await ask(ledger, "/v1/orders/\(order)").json
                return shown["status"]?.string == end
            }
        } catch {
            Issue.record("the order of \(amount) is not \(end): \(shown)")
            throw error
        }
        return order
    }

    /// Asks for a capture or a refund, and waits until it is done.
    func follow(_ path: String, _ amount: String, of order: OrderID, _ ledger: TestProcess) async throws {
        let asked = try await ask(ledger, "/v1/orders/\(order)/\(path)", body: #"{"amount":"\#(amount)"}"#)
        let command = try #require(asked.json["commandId"]?.string, "\(asked)")
        try await ledger.until {
            let answer = try await ask(ledger, "/v1/orders/\(order)/commands/\(command)")
            return answer.json["status"]?.string == "done"
        }
    }

    /// Sends a request of the shop's server. What changes something has a key.
    func ask(
        _ ledger: TestProcess, _ path: String, body: String? = nil, key: String = UUID().uuidString
    ) async throws -> (status: String, json: JSONValue) {
        let address = "http://127.0.0.1:\(try await ledger.port(of: "http"))\(path)"
        var text = ["--silent", "--write-out", "\n%{http_code}", "-H", "Authorization: Bearer \(Self.apiKey)"]
        if let body {
            text += ["-H", "Content-Type: application/json", "-H", "Idempotency-Key: \(key)", "--data", body]
        }
        let lines = try await ProgramRun.outside("curl", text + [address]).output.split(
            separator: "\n", omittingEmptySubsequences: false)
        let answer = Array(lines.dropLast().joined(separator: "\n").utf8)
        return (String(lines.last ?? ""), answer.isEmpty ? .null : try JSONValue(parsing: answer))
    }

    /// The metrics of a service, by name and labels as they are written.
    func metrics(_ service: TestProcess) async throws -> [String: String] {
        let page = try await ProgramRun.outside(
            "curl", ["--silent", "--fail", "http://127.0.0.1:\(try await service.port(of: "admin"))/metrics"]
        ).output
        return page.split(separator: "\n").reduce(into: [:]) { found, line in
            let parts = line.split(separator: " ")
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
        }
    }
}
