/// The scripted behaviours by the last three digits of the amount, with the same numbers and names as the independent
/// acquirer of the oracles.
enum FaultTable {
    /// The behaviour for an amount in fen.
    static func fault(forAmount amount: Int64) -> Fault {
        let number = Int(amount % 1_000)
        return byNumber[number] ?? own[number] ?? .none
    }

    /// The behaviour that a test requested by name.
    static func fault(named name: String) -> Fault? {
        name == Fault.none.name
            ? Fault.none : byNumber.values.first { $0.name == name } ?? own.values.first { $0.name == name }
    }

    /// Behaviours that the independent acquirer lacks. 760: declined in the answer, and money moves all the same.
    static let own: [Int: Fault] = [760: Fault(name: "declined_then_paid", answer: "64")]

    static let byNumber: [Int: Fault] = {
        var table = transport.merging(notifications) { first, _ in first }
        table.merge(silence) { first, _ in first }
        table.merge(codes) { first, _ in first }
        return table
    }()

    /// 700–713: the transport of the answer.
    private static let transport: [Int: Fault] = [
        700: Fault(name: "lost_answer", style: .drop),
        701: Fault(name: "lost_request", isBooked: false, style: .drop),
        702: Fault(name: "html_answer", style: .html),
        703: Fault(name: "http500_answer", style: .http500),
        704: Fault(name: "empty_answer", style: .empty),
        705: Fault(name: "badsig_answer", style: .badSignature),
        706: Fault(name: "impostor_answer", style: .impostor),
        707: Fault(name: "foreign_answer", style: .foreign),
        708: Fault(name: "expired_answer", style: .expired),
        709: Fault(name: "cut_answer", style: .cut),
        710: Fault(name: "slow_answer", style: .slow),
        711: Fault(name: "slowdrop_answer", style: .slowDrop),
        712: Fault(name: "slow_lost_request", isBooked: false, style: .slowDrop),
        713: Fault(name: "http502_not_booked", isBooked: false, style: .http502),
    ]

    /// 720–737: the notification.
    private static let notifications: [Int: Fault] = [
        720: Fault(name: "no_notification", notification: .none),
        721: Fault(name: "notify_late", notification: .late),
        722: Fault(name: "notify_says60", notification: .claiming("60")),
        723: Fault(name: "notify_says00", result: "64", notification: .claiming("00")),
        724: Fault(name: "notify_five", notification: .five),
        725: Fault(name: "notify_first", notification: .first),
        730: Fault(name: "notify_badsig", notification: .forged(.badSignature)),
        731: Fault(name: "notify_impostor", notification: .forged(.impostor)),
        732: Fault(name: "notify_foreign", notification: .forged(.foreign)),
        733: Fault(name: "notify_expired", notification: .forged(.expired)),
        734: Fault(name: "notify_amount", notification: .amount),
        735: Fault(name: "notify_currency", notification: .currency),
        736: Fault(name: "notify_merchant", notification: .merchant),
        737: Fault(name: "notify_order", notification: .order),
    ]

    /// 740–745: no answer and no notification, and the first queries do not help. 750: the settlement file lacks it.
    private static let silence: [Int: Fault] = [
        740: Fault(name: "silent_paid", style: .drop, notification: .none),
        741: Fault(name: "never_final", notification: .none, isHiddenForEver: true),
        742: Fault(
            name: "hidden_then_paid", style: .drop, notification: .none,
            failedQueries: Array(repeating: .code(.noSuchTransaction), count: 5)),
        743: Fault(name: "silent_declined", result: "64", style: .drop, notification: .none),
        744: Fault(
            name: "query_too_many", notification: .none,
            failedQueries: Array(repeating: .code(.tooManyQueries), count: 3)),
        745: Fault(
            name: "query_broken", notification: .none,
            failedQueries: [.style(.html), .style(.drop), .style(.badSignature), .style(.empty)]),
        750: Fault(name: "not_in_file", isInFile: false),
    ]

    /// 8xx: codes in the answer; 9xx: codes that come after it.
    private static let codes: [Int: Fault] = {
        var table: [Int: Fault] = [
            803: Fault(name: "answer_03", answer: "03", shown: ["03"]),
            804: Fault(name: "answer_04", answer: "04", shown: ["04"]),
            805: Fault(name: "answer_05", answer: "05", shown: ["05"]),
            812: Fault(name: "answer_12_paid", answer: "12"),
            898: Fault(name: "answer_99", answer: "99", isBooked: false),
            899: Fault(name: "answer_99_paid", answer: "99"),
            903: Fault(name: "unknown_03", notification: .none, shown: ["03", "03", "03"]),
            904: Fault(name: "unknown_05_05_04", notification: .none, shown: ["05", "05", "04"]),
            905: Fault(name: "pending_05", notification: .none, shown: ["05", "05", "05"]),
            906: Fault(name: "paid_A6", result: "A6"),
        ]
        for code in ["02", "06", "10", "11", "31", "32", "39", "40"] {
            table[800 + number(code)] = Fault(name: "answer_\(code)", answer: ResponseCode(code), isBooked: false)
        }
        for code in declines {
            let result = ResponseCode(code)
            table[800 + number(code)] = Fault(
                name: "declined_\(code)", answer: result, result: result, notification: .none)
            table[900 + number(code)] = Fault(name: "late_declined_\(code)", result: result)
        }
        for code in ["42", "74", "75"] {
            table[900 + number(code)] = Fault(name: "paid_\(code)", result: ResponseCode(code))
        }
        return table
    }()

    private static let declines =
        ["01", "30", "33", "38"] + (60...68).map(String.init) + ["72", "73", "76", "77", "78", "79"]

    private static func number(_ code: String) -> Int { code.utf8.reduce(0) { $0 * 10 + Int($1) - 0x30 } }
}
