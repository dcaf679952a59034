extension Topic {
    /// The topic's settings under Kafka's own names, as `topics create` sets them and each start checks them.
    public var settings: [String: String] {
        var settings = [
            "cleanup.policy": "delete",
            "retention.ms": "\(retentionMilliseconds)",
            "retention.bytes": "\(retentionBytes)",
        ]
        settings["segment.ms"] = segmentMilliseconds.map { "\($0)" }
        return settings
    }
}
