import OrchardPostgres
import Outbox

extension Error {
    /// Whether the error says that a row is not what the ledger writes: a check reports it as a finding instead of
    /// giving up.
    var isDamage: Bool {
        switch self {
        case is StoreError: true
        case let error as PostgresError: error.code == .value
        default: false
        }
    }
}
