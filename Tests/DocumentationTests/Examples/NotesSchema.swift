import OrchardPostgres

/// The migrations of docs/extending.md.
enum NotesSchema {
    static let migrator = Migrator(schema: "notes", migrations: migrations)

    private static let migrations = [
        Migration(1, "notes", sql: "CREATE TABLE notes (id uuid PRIMARY KEY, text text NOT NULL)"),
        // Additive: the version before works with it, so that services can be replaced one after the other.
        Migration(2, "note_author", isAdditive: true, sql: "ALTER TABLE notes ADD COLUMN author text"),
    ]
}
