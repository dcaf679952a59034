import OrchardJSON

extension Transaction {
    /// The transaction as the control interface shows it: the request's fields, then the book's.
    var row: [String: JSONValue] {
        var row = request.fields.mapValues { JSONValue.string($0) }
        row["amount"] = .integer(amount)
        row["card"] = .string(card)
        row["code"] = .string(result?.text ?? "")
        row["completed"] = .bool(isCompleted)
        row["encrypted"] = .bool(request.isCardEncrypted)
        row["fault"] = .string(fault.name)
        row["kind"] = .string(kind.rawValue)
        row["notifyAcked"] = .bool(isNotificationAcknowledged)
        row["notifySends"] = .integer(Int64(notificationsSent))
        row["origQryId"] = .string(originalQueryID ?? "")
        row["queries"] = .integer(Int64(queries))
        row["queryId"] = .string(queryID)
        row["refunded"] = .integer(refunded)
        row["repeats"] = .integer(Int64(repeats))
        row["settleDay"] = .string(settlementDay)
        row["state"] = .string(state.rawValue)
        row["voided"] = .bool(isVoided)
        return row
    }

    /// Whether each named column has this value.
    func matches(_ filter: [String: String]) -> Bool {
        let row = row
        return filter.allSatisfy { name, value in
            switch row[name] {
            case .string(let text): text == value
            case .integer(let number): String(number) == value
            case .bool(let flag): String(flag) == value
            default: false
            }
        }
    }
}
