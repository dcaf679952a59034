import Contracts
import OrchardJSON

/// A day of an account, as `order-ledger settle show --json` reports it.
struct SettledDay: Hashable, Sendable {
    let date: SettlementDate
    let account: String
    /// `reconciled`, `differs` or `waiting`.
    let status: String
    let rows: Int64
    /// What was taken, given back, kept as fees and is owed, in decimals.
    let taken, returned, fees, owed: String
    /// What the bank has received for the day, and what it still must receive.
    let paidOut, outstanding: String
    /// What it waits for.
    let waitsFor: String?

    /// - Throws: when the report lacks something.
    init(report: [UInt8]) throws {
        let json = try JSONValue(parsing: report)
        func text(_ value: JSONValue?, _ name: String) throws -> String {
            guard let text = value?.string else {
                throw DemoError("the report of a settled day lacks \(name): \(json)")
            }
            return text
        }
        guard let date = SettlementDate(try text(json["date"], "date")), let theirs = json["theirs"],
            let rows = theirs["count"]?.integer
        else { throw DemoError("the report of a settled day lacks its date or rows: \(json)") }
        (self.date, self.rows) = (date, rows)
        account = try text(json["account"], "account")
        status = try text(json["status"], "status")
        taken = try text(theirs["taken"], "taken")
        returned = try text(theirs["returned"], "returned")
        fees = try text(theirs["fees"], "fees")
        owed = try text(json["owed"], "owed")
        paidOut = try text(json["bank"]?["paidOut"], "bank.paidOut")
        outstanding = try text(json["bank"]?["outstanding"], "bank.outstanding")
        waitsFor = json["waitsFor"]?.string
    }

    /// ``owed`` in fen; negative when the shop owes it.
    var owedMinorUnits: Int64 { Int64(owed.replacing(".", with: "")) ?? 0 }

    /// For a finding.
    var text: String { "\(date) of \(account) is \(status)" + (waitsFor.map { ": waits for \($0)" } ?? "") }
}
