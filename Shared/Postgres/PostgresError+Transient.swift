import OrchardServiceKit

extension PostgresError: TransientError {
    /// Whether time alone heals it, so that the work may be done again from its beginning. What COMMIT left unknown must
    /// be safe to repeat. A pool that was closed is never opened again.
    public var isTransient: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .commitUnknown, .poolExhausted: true
        // A standby that is being promoted (25006); connection, conflicts, out of resources, locks and time-outs,
        // shutting down, broken disks (classes 08, 40, 53, 55, 57, 58).
        case .server: sqlState == "25006" || ["08", "40", "53", "55", "57", "58"].contains(sqlState?.prefix(2))
        default: false
        }
    }
}
