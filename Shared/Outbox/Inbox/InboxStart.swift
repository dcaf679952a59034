/// Decides where the processing of a partition begins, or that it must not begin; pure.
struct InboxStart: Equatable {
    /// The first offset to read.
    let offset: Int64
    /// Offsets that left the topic before they were read.
    let loss: Range<Int64>?

    /// What is known of a partition at the start.
    struct Situation {
        var topic: String
        var partition: Int32
        var watermark: Watermark?
        /// The log holds offsets from `low` up to, not including, `high`.
        var low: Int64
        var high: Int64
        /// The group's committed offset.
        var committed: Int64?
        var clusterID: String
        var server: DatabaseServer
        /// Whether the log has the last processed record; nil when it is not known.
        var isLastThere: Bool?
        /// The command that an operator runs after a database was restored.
        var recover = "recover --restored"
    }

    /// - Parameter acceptLogStart: whether a partition without a watermark may begin where the log begins.
    static func decide(_ now: Situation, acceptLogStart: Bool) throws(InboxError) -> InboxStart {
        func refuse(_ code: InboxError.Code, _ reason: String) -> InboxError {
            InboxError(code, reason, topic: now.topic, partition: now.partition)
        }
        let committed = now.committed ?? 0
        guard let watermark = now.watermark else {
            guard committed == 0 else {
                throw refuse(
                    .watermarkBehind,
                    "the group has committed offset \(committed), and the database has never seen the partition: it was "
                        + "restored from before, or is another one. Give the service its own database, or run `\(now.recover)`"
                )
            }
            guard now.low > 0 else { return InboxStart(offset: 0, loss: nil) }
            guard acceptLogStart else {
                throw refuse(
                    .logDoesNotBegin,
                    "the log begins at offset \(now.low), and the database has never seen the partition. If what is "
                        + "gone may be missing, start once with \(Inbox.acceptLogStartKey) = true")
            }
            return InboxStart(offset: now.low, loss: 0..<now.low)
        }
        let next = watermark.nextOffset
        if let refusal = watermark.refusal { throw refuse(.refused, refusal) }
        guard watermark.clusterID == now.clusterID else {
            throw refuse(
                .clusterChanged,
                "the watermark \(next) belongs to Kafka cluster \(watermark.clusterID), this is \(now.clusterID): "
                    + "offsets of one mean nothing in the other. Go back to that cluster, or run `\(now.recover)`")
        }
        guard watermark.server.identifier == now.server.identifier else {
            throw refuse(
                .databaseChanged,
                "the watermark was written by PostgreSQL \(watermark.server.identifier), this is "
                    + "\(now.server.identifier): a backup was restored on another server, and commits may be missing. Run "
                    + "`\(now.recover)`")
        }
        guard watermark.server.objects == now.server.objects else {
            throw refuse(
                .databaseChanged,
                "the watermark was written to the tables \(watermark.server.objects), these are \(now.server.objects): a dump "
                    + "was restored, and commits may be missing. Run `\(now.recover)`")
        }
        guard watermark.server.timeline == now.server.timeline else {
            throw refuse(
                .promoted,
                "a standby was promoted (timeline \(watermark.server.timeline) became \(now.server.timeline)), and its "
                    + "last commits may be missing: the partition is brought up to the log")
        }
        guard max(next, watermark.mark) >= committed else {
            throw refuse(.watermarkBehind, restored(at: next, committed: committed, now.recover))
        }
        guard next <= now.high else {
            throw refuse(
                .logBehind,
                "the database stands at offset \(next), but the log ends at \(now.high): the log has lost records or "
                    + "was recreated. Run `\(now.recover)`")
        }
        guard now.isLastThere != false else {
            throw refuse(
                .logBehind,
                "the log holds another record at offset \(watermark.last?.offset ?? next) than the database took from there: it "
                    + "was recreated. Run `\(now.recover)`")
        }
        guard next < now.low else { return InboxStart(offset: next, loss: nil) }
        return InboxStart(offset: now.low, loss: next..<now.low)
    }

    /// The reason for a database that is behind its group.
    static func restored(at next: Int64, committed: Int64, _ recover: String) -> String {
        "the database stands at offset \(next), but the group has committed \(committed): the database was restored from an "
            + "older state. Run `\(recover)`"
    }
}
