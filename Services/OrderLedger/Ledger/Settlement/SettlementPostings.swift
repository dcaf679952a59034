/// The rules that turn what acquirer and bank tell into postings, in use since files are folded. No line is zero.
///
/// The file is booked as it stands. Where it differs from ours, the rest stays in `assets:acquirer-receivable`, and the
/// reconciliation lists why.
enum SettlementPostings {
    /// The lines for a row of a settlement file: what it pays, its fee (both in minor units, with their signs), and the
    /// account that it settles.
    static func row(_ net: Int64, fee: Int64, _ account: Account) -> [Posting] {
        [
            Posting(.bankReceivable, net), Posting(.acquirerFees, fee), Posting(account, -(net + fee)),
        ].filter { $0.amount != 0 }
    }

    /// The lines for money of a dispute: what the acquirer owes for it, negative when it takes money back.
    static func dispute(_ net: Int64) -> [Posting] { [Posting(.bankReceivable, net), Posting(.disputes, -net)] }

    /// The lines for money that the bank received; negative when the acquirer collected it.
    static func payOut(_ amount: Int64) -> [Posting] { [Posting(.bank, amount), Posting(.bankReceivable, -amount)] }

    /// Whether a row of these amounts can be booked: all lines fit 64 bits.
    static func canPost(net: Int64, fee: Int64) -> Bool {
        let (gross, overflow) = net.addingReportingOverflow(fee)
        return !overflow && gross != .min && net != .min && fee != .min
    }
}
