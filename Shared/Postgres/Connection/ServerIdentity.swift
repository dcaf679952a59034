/// On which server and in which database a session is. It is read once a session and kept in settings of it:
/// `pg_control_system()` opens, reads and checks a file at each call: about 5 µs in each transaction.
///
/// Neither can change while a session lives, and so the kept values prove as much as those read again:
/// - The system identifier is written by initdb. What changes it later (pg_resetwal, pg_createsubscriber, pg_upgrade) needs a
///   stopped server, as the restoration of a backup does, also up to a point in time; and sessions end with their server.
/// - A promoted standby keeps its sessions, and they can write from then on. It also keeps the identifier: its primary's.
///   What a promotion changes is the timeline, which is therefore never kept.
/// - A session stays in its database. One that is dropped, to be restored, has no sessions left. (A table may be dropped and
///   restored beside its sessions: its object identifier is not kept.)
/// - The settings are the server's process's. Behind a pooler they still tell of the process that answers.
///
/// A session that lost them (`RESET ALL`) gets an error, and no answer.
package enum ServerIdentity {
    /// SQL for the server's `system_identifier`, a bigint.
    package static let systemIdentifier = "current_setting('orchard.system_identifier')::bigint"
    /// SQL for the object identifier of the database, a text.
    package static let database = "current_setting('orchard.database')"

    /// Sets both, whatever role, database or server have set under these names. An ordinary role may do so.
    static let query = """
        SELECT set_config('orchard.system_identifier', (SELECT system_identifier::text FROM pg_control_system()), false),
            set_config('orchard.database', (SELECT oid::text FROM pg_database WHERE datname = current_database()), false)
        """
}
