import Contracts
import OrchardJSON

extension Reconciliation {
    /// The report of a day, as API and commands show it.
    public func json(_ bank: BankBalance, checkedAt: Timestamp) -> [UInt8] {
        JSONWriter.object { object in
            object.member("account", day.account)
            object.member("acquirer", day.acquirer)
            object.object("bank") { object in
                object.member("outstanding", decimal(bank.outstanding))
                object.member("paidOut", decimal(bank.paidOut))
            }
            object.member("checkedAt", checkedAt.description)
            object.member("currency", currency.code)
            object.member("date", day.date.description)
            object.array("differences") { array in
                for difference in differences.first { array.object { difference.write(to: &$0) } }
            }
            object.object("disputes") { object in
                object.member("count", disputeCount)
                object.member("net", decimal(disputes))
            }
            object.member("explainedDifferences", differences.explained)
            if let file { object.object("file") { write(SettlementSums(file.fact), to: &$0) } }
            object.member("fromDayBefore", fromDayBefore)
            object.member("inNextDay", inNextDay)
            object.member("matched", matched)
            object.member("merchantId", day.merchant.description)
            object.member("openDifferences", differences.open)
            object.object("ours") { object in
                object.member("count", ours.count)
                object.member("returned", decimal(ours.returned))
                object.member("taken", decimal(ours.taken))
            }
            object.member("owed", decimal(owed))
            object.member("remarked", remarked)
            object.array("remarks") { array in
                for remark in remarks { array.object { remark.write(to: &$0) } }
            }
            object.member("status", status.rawValue)
            object.object("theirs") { write(theirs, to: &$0) }
            object.member("waitsFor", waitsFor)
        }
    }

    private func write(_ sums: SettlementSums, to object: inout JSONObjectWriter) {
        object.member("count", sums.count)
        object.member("fees", decimal(sums.fees))
        object.member("net", decimal(sums.net))
        object.member("returned", decimal(sums.returned))
        object.member("taken", decimal(sums.taken))
    }

    /// An amount as people write it.
    public func decimal(_ minorUnits: Int64) -> String { Money(minorUnits: minorUnits, currency: currency).decimal }
}

extension SettlementDifference {
    func write(to object: inout JSONObjectWriter) {
        object.member("amount", amount.decimal)
        object.member("currency", amount.currency.code)
        object.member("differenceId", id.description)
        if let explanation {
            object.object("explanation") { object in
                object.member("by", explanation.by)
                object.member("reason", explanation.reason)
            }
        }
        object.member("kind", kind.rawValue)
        object.member("operationId", operation?.description)
        object.member("orderId", order?.description)
        object.member("orderNumber", orderNumber)
        object.member("paymentId", payment?.description)
        object.member("serial", serial)
        object.member("since", since.description)
    }
}
