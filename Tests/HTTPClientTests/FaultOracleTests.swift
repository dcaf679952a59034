import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import SandboxProcesses
import TestSupport
import Testing

/// The outside server that misbehaves: what the client says of a lost POST must agree with the oracle's table.
@Suite(
    .enabled(if: Oracles.has("http_faults.py"), "\(Oracles.absence)"),
    .serialized)
struct FaultOracleTests {
    fileprivate struct Row: Decodable {
        let fault: String
        let reports: [String]
        let arrives: [Int]
    }

    fileprivate struct Played: Sendable {
        let id: String
        let outcome: HTTPOutcome
        /// Of a healthy request on the same client afterwards.
        let next: HTTPOutcome?
    }

    @Test func everyFaultIsReportedAsTheTableSays() async throws {
        try await check(secure: false)
    }

    @Test func everyFaultIsReportedAsTheTableSaysOverTLS() async throws {
        try await check(secure: true)
    }

    private func check(secure: Bool) async throws {
        let oracle = Oracles.path("http_faults.py")
        let table = try await Oracles.run([oracle, "table"]).output
        let rows = try table.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        #expect(rows.count > 60)
        let folder = try secure ? TestCertificates() : nil
        let tls = folder.map { ["--tls", $0.server.certificate, $0.server.key] } ?? []
        let server = try ChildProcess(
            ChildCommand(
                Oracles.python, [oracle, "serve", "--hold", "12", "--for", "300"] + tls, output: .pipe, errors: .null))
        defer { server.signal(SIGKILL) }
        let line = try #require(await server.line())
        let ports = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
        let main = try #require(ports["main"])
        let control = try #require(ports["control"])
        let configuration = Self.hasty(trusting: folder?.authority)
        let base = secure ? "https://localhost" : "http://127.0.0.1"

        let results = try await withThrowingTaskGroup(of: (String, Played).self) { group in
            var waiting = rows.filter { row in
                secure || !(row.fault.hasPrefix("port tls_") || row.fault.hasSuffix("_after_handshake"))
            }[...]
            var results: [String: Played] = [:]
            for _ in 0..<12 {
                guard let row = waiting.popFirst() else { break }
                group.addTask { (row.fault, try await play(row, base, ports, main, configuration)) }
            }
            while let (name, result) = try await group.next() {
                results[name] = result
                if let row = waiting.popFirst() {
                    group.addTask { (row.fault, try await play(row, base, ports, main, configuration)) }
                }
            }
            return results
        }
        let arrivals = try await withClient { client in
            try #require(
                await client.send(HTTPClientRequest(method: .get, url: "http://127.0.0.1:\(control)/arrived")).answer)
        }
        let arrived = try JSONDecoder().decode([String: Int].self, from: Data(arrivals.body))
        for row in rows {
            guard let result = results[row.fault] else { continue }
            check(row, result, arrived: arrived[result.id] ?? 0, secure: secure)
        }
    }

    private static func hasty(trusting authority: String?) -> HTTPClientConfiguration {
        var configuration = HTTPClientConfiguration()
        configuration.connectTimeout = .seconds(3)
        configuration.totalTimeout = .seconds(5)
        configuration.caFile = authority
        return configuration
    }

    private func check(_ row: Row, _ result: Played, arrived: Int, secure: Bool) {
        let report = result.outcome.report
        let detail: Comment = "\(row.fault): \(report) \(result.outcome), arrived \(arrived)"
        if secure, row.fault == "port silent" {
            #expect(report == "notSent" && arrived == 0, detail)
        } else {
            #expect(row.reports.contains(report), detail)
            #expect(row.arrives.contains(arrived) && arrived <= 1, detail)
        }
        if report == "notSent" { #expect(arrived == 0, detail) }
        if let answer = result.outcome.answer {
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(text.contains(result.id) || text == "{}" || text.isEmpty || row.fault.contains("early_413"), detail)
            #expect(!text.contains("stray"), detail)
        }
        if let next = result.next {
            let text = next.answer.map { String(decoding: $0.body, as: UTF8.self) }
            #expect(text == "{\"id\": \"next-\(result.id)\"}", "\(row.fault): the next request got \(next)")
        }
    }
}

/// - Parameter isAnswered: whether an answer is to come, which may take long on a slow machine.
private func post(_ client: HTTPClient, _ url: String, id: String, isAnswered: Bool) async -> HTTPOutcome {
    await client.send(
        HTTPClientRequest(
            method: .post, url: url, fields: ["X-Probe-Id": id, "Content-Type": "application/json"],
            body: Array("{\"amount\":1}".utf8), timeout: isAnswered ? .seconds(60) : nil))
}

private func play(
    _ row: FaultOracleTests.Row, _ base: String, _ ports: [String: Int], _ main: Int,
    _ configuration: HTTPClientConfiguration
) async throws -> FaultOracleTests.Played {
    let name = row.fault
    var configuration = configuration
    // Only ports may refuse a connection.
    if !name.hasPrefix("port ") { configuration.connectTimeout = .seconds(60) }
    return try await withClient(configuration) { client in
        let isAnswered = row.reports.contains("success")
        let id = name.filter { $0.isLetter || $0.isNumber || $0 == "_" }
        if name.hasPrefix("port ") {
            let port = try #require(ports[String(name.dropFirst(5))])
            let outcome = await post(client, "\(base):\(port)/", id: id, isAnswered: isAnswered)
            return .init(id: id, outcome: outcome, next: nil)
        }
        let url = "\(base):\(main)\(name)"
        if name.hasPrefix("/warm/") {
            let first = await post(client, url, id: "first-\(id)", isAnswered: true)
            #expect(first.report == "success", "\(name): \(first)")
            // The oracle spoils a connection 50 ms after its answer, and nothing tells when it has.
            if name.contains("stale") { try await Task.sleep(for: .seconds(1)) }
        }
        let outcome = await post(client, url, id: id, isAnswered: isAnswered)
        // A connection that ends without a word after its answer can always end between the look and the send.
        guard name.hasPrefix("/fault/"), !["/fault/rst_after", "/fault/length_and_chunked"].contains(name) else {
            return .init(id: id, outcome: outcome, next: nil)
        }
        let next = await post(client, "\(base):\(main)/fault/none", id: "next-\(id)", isAnswered: true)
        return .init(id: id, outcome: outcome, next: next)
    }
}
