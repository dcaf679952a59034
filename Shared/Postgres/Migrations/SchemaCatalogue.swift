import Foundation

/// Every object of a schema and how it is defined, in a text that is the same on each server version: what an audit
/// compares with the migrations'.
///
/// Tables and columns, constraints, indexes, triggers and whether they fire, functions by the digest of their source,
/// rules, policies, views, types, and who may do what. Reading is not listed but for the service's own role: reports may
/// be granted to anybody.
public struct SchemaCatalogue: Hashable, Sendable {
    /// The definition of each object by its name, such as `trigger facts_append_only on facts`.
    public let objects: [String: String]
    /// SHA-256 of ``text`` in hex, as the server computes it; empty for a recorded one.
    public let digest: String

    /// - Parameter text: as ``text`` writes it.
    public init(text: String) {
        var objects: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.range(of: ": ") else { continue }
            objects[String(line[..<colon.lowerBound])] = String(line[colon.upperBound...])
        }
        self.objects = objects
        digest = ""
    }

    private init(objects: [String: String], digest: String) {
        self.objects = objects
        self.digest = digest
    }

    /// One line an object, sorted.
    public var text: String { Self.text(objects) }

    private static func text(_ objects: [String: String]) -> String {
        objects.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { "\($0): \($1)\n" }.joined()
    }

    /// Reads a schema's catalogue; any role may.
    public static func read(_ schema: String, on connection: PostgresConnection) async throws -> SchemaCatalogue {
        try await connection.transaction(.snapshot) { connection in
            // Names are written with their schema when it is not in the search path.
            try await connection.execute("SELECT set_config('search_path', 'pg_catalog', true)")
            var objects: [String: String] = [:]
            for row in try await connection.query(SchemaCatalogueQuery.sql, [schema]) {
                let definition = try row.string("definition")
                let line = definition.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                let name = try row.string("name")
                objects[name] = objects[name].map { $0 + "; " + line } ?? line
            }
            let digests = try await connection.query(
                "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex') AS digest", [text(objects)])
            return SchemaCatalogue(objects: objects, digest: try digests[0].string("digest"))
        }
    }

    /// What is missing, other than expected, or more than that, each by its name.
    public func differences(from expected: SchemaCatalogue) -> [String] {
        Set(objects.keys).union(expected.objects.keys).sorted().compactMap { name in
            switch (expected.objects[name], objects[name]) {
            case (let definition?, nil): "\(name) is missing: \(definition)"
            case (nil, let definition?): "\(name) is not the migrations': \(definition)"
            case (let old?, let new?): old == new ? nil : "\(name) was changed: \(new), not \(old)"
            case (nil, nil): nil
            }
        }
    }
}
