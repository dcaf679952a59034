import OrchardServiceKit

extension PostgresError: TransientError {
    /// Whether time alone heals it, so that the work may be done again from its beginning. What COMMIT left unknown must
    /// be safe to repeat. A pool that was closed is never opened again.
    public var isTransient: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .commitUnknown, .poolExhausted: true
        // A standby that is being promoted (25006); a prepared statement whose tables were changed under it (0A000) or
        // whose name is gone (26000), which the connection prepares anew; connection, conflicts, out of resources, locks and time-outs,
        // shutting down, broken disks (classes 08, 40, 53, 55, 57, 58).
        case .server:
            ["25006", "0A000", "26000"].contains(sqlState)
                || ["08", "40", "53", "55", "57", "58"].contains(sqlState?.prefix(2))
        default: false
        }
    }
}
