import Contracts

@testable import Charging

/// An acquirer as simple as the rule: one transaction a key, decided when it is first booked.
struct ModelAcquirer: Hashable {
    enum Truth: Hashable {
        case paid, declined
    }

    /// What a key would become when it is booked.
    var fate: [PaymentID: Truth]
    private(set) var booked: [PaymentID: Truth] = [:]

    /// The request arrives: booked once, answered as known the second time.
    mutating func receive(_ charge: Charge) -> AcquirerAnswer {
        guard booked[charge.payment] == nil else { return answer(.alreadyKnown, charge, "12") }
        booked[charge.payment] = fate[charge.payment] ?? .paid
        return booked[charge.payment] == .declined
            ? answer(.declined(.insufficientFunds), charge, "64") : answer(.accepted, charge, "00")
    }

    func query(_ charge: Charge) -> AcquirerAnswer {
        switch booked[charge.payment] {
        case .paid: answer(.succeeded(remark: nil), charge, "00")
        case .declined: answer(.declined(.insufficientFunds), charge, "64")
        case nil: answer(.notFound, charge, "34")
        }
    }

    private func answer(_ verdict: Verdict, _ charge: Charge, _ code: String) -> AcquirerAnswer {
        AcquirerAnswer(
            verdict, result: AcquirerResult(reference: Sample.reference(charge.payment), code: code),
            echoed: EchoedFields(reserved: charge.reserved, amount: charge.amount.minorUnits, currency: "156"))
    }
}
