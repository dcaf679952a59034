import Contracts

extension Timestamp {
    /// Beijing is eight hours ahead of UTC all the year.
    private static let beijing: Int64 = 8 * 3_600

    /// UnionPay's `txnTime`: `YYYYMMDDhhmmss` on Beijing's clock.
    var transactionTime: String {
        let time = CivilTime(self, utcOffset: Self.beijing)
        let parts = [time.month, time.day, time.hour, time.minute, time.second]
        return time.year.padded(to: 4) + parts.map { $0.padded(to: 2) }.joined()
    }

    /// Reads `txnTime`; nil when there is no such time.
    init?(transactionTime text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 14, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        let time = CivilTime(
            year: number(0..<4), month: number(4..<6), day: number(6..<8), hour: number(8..<10),
            minute: number(10..<12), second: number(12..<14))
        guard let time else { return nil }
        self = time.timestamp(utcOffset: Self.beijing)
    }
}
