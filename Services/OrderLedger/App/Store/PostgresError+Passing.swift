import OrchardPostgres

extension PostgresError {
    /// Whether the failure passes by itself, so that what failed may be tried again from its beginning; what COMMIT left
    /// unknown must be safe to repeat.
    var passes: Bool {
        switch code {
        case .connectionFailed, .connectionLost, .commitUnknown, .poolExhausted, .poolClosed: true
        // A server that takes no writes now: a standby before its promotion, or one set read-only by hand (25006).
        case .server where sqlState == "25006": true
        // Shutting down, out of resources, conflicts and time-outs (classes 40, 53, 55, 57, 58).
        case .server: ["40", "53", "55", "57", "58"].contains(sqlState?.prefix(2))
        default: false
        }
    }
}
