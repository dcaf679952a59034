import Contracts
import Foundation
import KafkaBridge
import Postgres
import ServiceKit

/// Takes the scan to every log, file, topic and table of the run.
struct SecretSearch {
    var scan: SecretScan
    private(set) var places: [String] = []

    init(secrets: [String]) { scan = SecretScan(secrets: secrets) }

    /// Every file below `folder`.
    mutating func search(files folder: URL) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        var count = 0
        for name in names.sorted() {
            let file = folder.appending(path: name)
            guard (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true else { continue }
            scan.scan(Array(try Data(contentsOf: file)), place: name)
            count += 1
        }
        places.append("\(count) files")
    }

    /// Every record of the topics: keys, values and headers.
    mutating func search(topics: [String], partitions: Int32, kafka: KafkaConfiguration, logger: Logger) async throws {
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
        places.append("\(count) records of \(topics.count) topics")
    }

    /// Every row of every table of a schema, as text and with its bytes in the clear.
    mutating func search(schema: String, _ connection: PostgresConnection) async throws {
        let tables = try await connection.query(
            "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1",
            [schema])
        var count = 0
        for table in tables {
            let name = try table.string("name")
            let columns = try await connection.query(
                """
                SELECT column_name::text AS name, data_type = 'bytea' AS binary FROM information_schema.columns
                WHERE table_schema = $1 AND table_name = $2
                """, [schema, name])
            let parts = try columns.map { column in
                let quoted = "\"\(try column.string("name"))\""
                return try column.bool("binary")
                    ? "coalesce(\(quoted), '')" : "convert_to(coalesce(\(quoted)::text, ''), 'UTF8')"
            }
            let rows = try await connection.query(
                "SELECT \(parts.joined(separator: " || '\\x00'::bytea || ")) AS bytes FROM \(schema).\"\(name)\"")
            for row in rows { scan.scan(try row.bytes("bytes"), place: "table \(schema).\(name)") }
            count += rows.count
        }
        places.append("\(count) rows of \(tables.count) tables in \(schema)")
    }
}
