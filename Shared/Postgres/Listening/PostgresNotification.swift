/// What `NOTIFY channel, 'payload'` sent.
public struct PostgresNotification: Hashable, Sendable {
    public let channel: String
    public let payload: String
}
