/// Whether a session's commits survive a crash of the server.
///
/// A commit that is forgotten after a crash is a forgotten intent: a second token could charge the same order.
struct DurabilitySettings: Hashable, Sendable {
    /// A server that sets this to `on` declares that its data have no value: a private cluster of the sandbox.
    static let throwAwayKey = "orchard.throw_away"

    /// Makes the session wait until its commits are on disk, and returns what the server does. A server that waits for
    /// more than that (`remote_apply`) is left as it is.
    static let query = """
        SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false) AS synchronous_commit,
            current_setting('fsync')::boolean AS fsync, current_setting('full_page_writes')::boolean AS full_page_writes,
            coalesce(current_setting('\(throwAwayKey)', true), '') = 'on' AS throw_away
        """

    var flushes: Bool
    var writesFullPages: Bool
    var isThrowAway: Bool

    init(flushes: Bool, writesFullPages: Bool, isThrowAway: Bool) {
        self.flushes = flushes
        self.writesFullPages = writesFullPages
        self.isThrowAway = isThrowAway
    }

    /// Reads the row of ``query``.
    init(_ row: PostgresRow) throws(PostgresError) {
        self.init(
            flushes: try row.bool("fsync"), writesFullPages: try row.bool("full_page_writes"),
            isThrowAway: try row.bool("throw_away"))
    }

    var isDurable: Bool { flushes && writesFullPages }

    /// Why no session may be used on this server; nil when one may.
    var refusal: String? {
        guard !isDurable, !isThrowAway else { return nil }
        let off = [flushes ? nil : "fsync", writesFullPages ? nil : "full_page_writes"].compactMap(\.self)
        return
            "\(off.joined(separator: " and ")) \(off.count == 1 ? "is" : "are") off on the database server: a crash may "
            + "lose payments that were committed. Switch \(off.count == 1 ? "it" : "them") on in postgresql.conf and "
            + "reload the server. (A cluster that holds nothing of value may set \(Self.throwAwayKey) = on there.)"
    }
}
