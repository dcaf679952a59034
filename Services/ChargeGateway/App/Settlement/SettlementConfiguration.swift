import Charging
import OrchardServiceKit

/// When settlement files are fetched by the service itself.
///
/// Configuration keys:
/// - `settlement.interval` (default 10m): how often it is looked whether a day's file is to be fetched
/// - `settlement.margin` (default 1h): how long after a day's end its file is asked for
/// - `settlement.overdue` (default 12h): how long after a day's end a missing file is reported
/// - `settlement.days` (default 30): how many closed days are caught up with
struct SettlementConfiguration: Sendable {
    let interval: Duration
    let policy: SettlementPlan.Policy

    init(reader: ConfigReader) {
        var policy = SettlementPlan.Policy()
        interval = reader.duration(
            "settlement.interval", doc: "How often it is looked whether a settlement file is to be fetched.",
            default: .seconds(600), in: .milliseconds(100)...(.seconds(86_400)))
        policy.margin = reader.duration(
            "settlement.margin", doc: "How long after a day's end at the acquirer its file is asked for.",
            default: policy.margin, in: .zero...(.seconds(86_400)))
        policy.overdueAfter = reader.duration(
            "settlement.overdue", doc: "How long after a day's end a missing file makes /readyz answer 503.",
            default: policy.overdueAfter, in: .zero...(.seconds(10 * 86_400)))
        policy.days = reader.int(
            "settlement.days", doc: "How many closed days are caught up with.", default: policy.days, in: 1...90)
        self.policy = policy
    }
}
