import OrchardPostgres
import Outbox

extension Error {
    /// Whether the error says that the ledger cannot have written a row. A check then reports a finding and continues.
    var isDamage: Bool {
        switch self {
        case is StoreError: true
        case let error as PostgresError: error.code == .value
        default: false
        }
    }
}
