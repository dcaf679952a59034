import Contracts
import Foundation
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit

/// Applies the scan to every log, file, topic, table and page of metrics of the run.
struct SecretSearch {
    private(set) var scan: SecretScan
    private(set) var places: [String] = []
    /// Kinds of places where the marker was not found: nothing is proved about them.
    private(set) var blindSpots: [String] = []

    /// - Parameter marker: a text that every kind of place must hold, such as the identifier of a paid order.
    init(secrets: [String], marker: String) { scan = SecretScan(secrets: secrets, marker: marker) }

    var findings: [Finding] {
        scan.findings
            + blindSpots.map {
                Finding(book: "scan", text: "\($0): what must be there is not found, so nothing is proved")
            }
            + (scan.count == 0 ? [Finding(book: "scan", text: "the script has no card numbers to look for")] : [])
    }

    /// Ends the search of a kind of place.
    private mutating func finish(_ place: String, markersBefore: Int) {
        places.append(place)
        if scan.markersSeen == markersBefore { blindSpots.append(place) }
    }

    /// Every file below `folder`, and one more: the database server's log.
    mutating func search(files folder: URL, and log: URL) throws {
        let markersBefore = scan.markersSeen
        scan.scan(Array(try Data(contentsOf: log)), place: "PostgreSQL's log")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        var count = 1
        for name in names.sorted() {
            let file = folder.appending(path: name)
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true else { continue }
            scan.scan(Array(try Data(contentsOf: file)), place: name)
            count += 1
        }
        finish("\(count) files", markersBefore: markersBefore)
    }

    /// Pages of metrics, by the name of their worker. No page names an order: that it is one is seen by its comments.
    mutating func search(metrics pages: [(worker: String, text: String)]) {
        for page in pages {
            scan.scan(Array(page.text.utf8), place: "metrics of \(page.worker)")
            if !page.text.contains("# TYPE ") { blindSpots.append("metrics of \(page.worker)") }
        }
        places.append("\(pages.count) pages of metrics")
    }

    /// Every record of the topics: keys, values and headers.
    mutating func search(topics: [String], partitions: Int32, kafka: KafkaConfiguration, logger: Logger) async throws {
        let markersBefore = scan.markersSeen
        let reader = try KafkaReader(kafka, logger: logger)
        let collected = Locked<[(String, [UInt8])]>([])
        var count = 0
        for topic in topics {
            for partition in 0..<partitions {
                try await reader.read(TopicPartition(topic, partition)) { records in
                    let bytes = records.map { record in
                        (
                            "\(topic)[\(partition)]@\(record.offset)",
                            (record.key ?? []) + record.value + record.headers.flatMap(\.value)
                        )
                    }
                    collected.withLock { $0 += bytes }
                }
            }
        }
        for (place, bytes) in collected.withLock({ $0 }) {
            scan.scan(bytes, place: place)
            count += 1
        }
        finish("\(count) records of \(topics.count) topics", markersBefore: markersBefore)
    }

    /// Every row of every table of a database, as text and with its bytes in the clear; but for `contacts`, the one
    /// place of personal data. Identifiers are written as the system writes them, without PostgreSQL's hyphens.
    mutating func search(database: String, _ connection: PostgresConnection) async throws {
        let markersBefore = scan.markersSeen
        let tables = try await connection.query(
            """
            SELECT table_schema::text AS schema, table_name::text AS name FROM information_schema.tables
            WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'
                AND table_name <> 'contacts' ORDER BY 1, 2
            """)
        var count = 0
        for table in tables {
            let (schema, name) = (try table.string("schema"), try table.string("name"))
            let columns = try await connection.query(
                """
                SELECT column_name::text AS name, data_type = 'bytea' AS binary, data_type = 'uuid' AS identifier
                FROM information_schema.columns
                WHERE table_schema = $1 AND table_name = $2
                """, [schema, name])
            let parts = try columns.map { column in
                let quoted = "\"\(try column.string("name"))\""
                if try column.bool("binary") { return "coalesce(\(quoted), '')" }
                let text = try column.bool("identifier") ? "replace(\(quoted)::text, '-', '')" : "\(quoted)::text"
                return "convert_to(coalesce(\(text), ''), 'UTF8')"
            }
            let rows = try await connection.query(
                "SELECT \(parts.joined(separator: " || '\\x00'::bytea || ")) AS bytes FROM \"\(schema)\".\"\(name)\"")
            for row in rows { scan.scan(try row.bytes("bytes"), place: "table \(schema).\(name)") }
            count += rows.count
        }
        finish("\(count) rows of \(tables.count) tables in \(database)", markersBefore: markersBefore)
    }
}
