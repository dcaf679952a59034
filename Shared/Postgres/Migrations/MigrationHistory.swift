/// Compares what a binary knows with what a database has; pure.
struct MigrationHistory {
    struct Applied: Equatable {
        let number: Int
        let name: String
        let checksum: [UInt8]
        /// As the program that ran it declared: see ``Migration/isAdditive``.
        var isAdditive = false
    }

    /// The migrations that are still to be run, in order.
    ///
    /// - Parameters:
    ///   - known: the binary's, with their checksums.
    ///   - applied: the database's, ordered by number.
    /// - Throws: ``PostgresError/Code/migration`` when a migration was changed after it ran, or the database is newer by one
    ///   that is not additive.
    static func pending(
        known: [(migration: Migration, checksum: [UInt8])], applied: [Applied]
    ) throws(PostgresError) -> [Migration] {
        for (position, row) in applied.enumerated() {
            guard position < known.count else {
                if row.isAdditive { continue }
                throw PostgresError(
                    .migration,
                    "the database has migration \(row.number) (\(row.name)), which this binary does not know: "
                        + "run a newer version")
            }
            let (migration, checksum) = known[position]
            guard row.number == migration.number, row.checksum == checksum else {
                throw PostgresError(
                    .migration,
                    "migration \(migration.title) differs from what was run in this database as \(row.number) "
                        + "(\(row.name)): run the version that belongs to the database, and add new migrations instead "
                        + "of changing old ones")
            }
        }
        return known.dropFirst(applied.count).map(\.migration)
    }
}
