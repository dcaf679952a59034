import Foundation
import OrchardPostgres
import TestSupport
import Testing

@testable import SandboxDemo

@Suite("The places where card data is searched for")
struct SecretSearchTests {
    private let folder: TemporaryFolder
    private let log: URL

    init() throws {
        folder = try TemporaryFolder()
        log = folder.url.appending(path: "postgres")
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "run/logs"), withIntermediateDirectories: true)
        try Data("ready to accept connections".utf8).write(to: log)
    }

    private func search(_ line: String, secrets: [String] = ["6228480402564890018"]) throws -> SecretSearch {
        try Data(line.utf8).write(to: folder.url.appending(path: "run/logs/gateway.log"))
        var search = SecretSearch(secrets: secrets, marker: "01a2b3c4d5e6f708")
        try search.search(files: folder.url.appending(path: "run"), and: log)
        return search
    }

    @Test("is proved by a marker that must be found there")
    func proof() throws {
        #expect(try search("order 01a2b3c4d5e6f708 was paid").findings == [])
        #expect(try search("nothing").findings.count == 1)
        #expect(try search("order 01a2b3c4d5e6f708 was paid", secrets: []).findings.count == 1)
    }

    @Test("covers every file below a folder, and the database server's log")
    func files() throws {
        #expect(try search("order 01a2b3c4d5e6f708, card 6228480402564890018").findings.count == 1)
        try Data("DETAIL: parameters: $1 = '6228480402564890018'".utf8).write(to: log)
        #expect(try search("order 01a2b3c4d5e6f708").findings.count == 1)
    }

    @Test("covers the pages of metrics, which are proved by their comments")
    func metrics() {
        func findings(_ page: String) -> Int {
            var search = SecretSearch(secrets: ["Customer-12345678"], marker: "01a2b3c4d5e6f708")
            search.search(metrics: [("token-ingest-1", page)])
            return search.findings.count
        }
        #expect(findings("# TYPE payments_total counter\npayments_total 1\n") == 0)
        #expect(findings("# TYPE payments_total counter\npayments_total{name=\"Customer-12345678\"} 1\n") == 1)
        #expect(findings("not found") == 1)
    }

    @Test(
        "covers every column of every table, whatever its type",
        arguments: [
            ("uuid", "'01900000-0000-7000-8000-000000000001'", "01900000000070008000000000000001"),
            ("text", "'order 01a2b3c4d5e6f708'", "01a2b3c4d5e6f708"),
            ("jsonb", #"'{"card": "6228480402564890018"}'"#, "6228480402564890018"),
            ("bytea", "'6228480402564890018'", "6228480402564890018"),
        ])
    func database(type: String, value: String, text: String) async throws {
        try await TestDatabase.with { database in
            let connection = try await PostgresConnection.connect(database.configuration)
            try await connection.execute(
                "CREATE TABLE rows AS SELECT NULL::\(type) AS empty, \(value)::\(type) AS value")
            var search = SecretSearch(secrets: ["other text"], marker: text)
            try await search.search(database: "test", connection)
            #expect(search.findings == [])
            await connection.close()
        }
    }
}
