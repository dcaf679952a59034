import Contracts

/// A file of pay-outs, as a merchant exports it from its bank statement. docs/settlement.md has the form.
public struct PayOutFile: Hashable, Sendable {
    /// Who has an account at an acquirer.
    public struct Owner: Hashable, Sendable {
        public let merchant: MerchantID
        public let acquirer: String
        /// Those of its routes: nothing else is paid out.
        public let currencies: Set<Currency>

        public init(merchant: MerchantID, acquirer: String, currencies: Set<Currency>) {
            (self.merchant, self.acquirer, self.currencies) = (merchant, acquirer, currencies)
        }
    }

    /// What is wrong with a file, and in which line, counted from 1.
    public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
        public let line: Int
        public let reason: String

        public init(line: Int, _ reason: String) { (self.line, self.reason) = (line, reason) }

        public var description: String { "line \(line): \(reason)" }
    }

    public static let header = "date,account,currency,amount,reference"
    public static let maximumBytes = 4 << 20
    public static let maximumLines = 20_000

    /// The pay-outs, each with its line.
    public private(set) var payOuts: [(line: Int, payOut: PayOutReceived)] = []

    /// Reads a file whole, or refuses it whole.
    ///
    /// - Parameters:
    ///   - owners: by account.
    ///   - today: no pay-out is later.
    public init(_ bytes: [UInt8], owners: [String: [Owner]], today: SettlementDate) throws(Fault) {
        guard bytes.count <= Self.maximumBytes else { throw Fault(line: 1, "the file has more than 4 MB") }
        guard bytes.allSatisfy({ (0x20...0x7E).contains($0) || $0 == 0x0A || $0 == 0x0D }) else {
            throw Fault(line: 1, "only visible ASCII characters are expected")
        }
        var lines = String(decoding: bytes, as: UTF8.self).utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        ).map { String(decoding: $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0, as: UTF8.self) }
        guard lines.popLast() == "" else {
            throw Fault(line: lines.count + 1, "the line is cut: each line ends with a line break")
        }
        guard lines.count <= Self.maximumLines else { throw Fault(line: 1, "the file has more than 20,000 lines") }
        guard lines.first == Self.header else { throw Fault(line: 1, "the header is \(Self.header)") }
        var reader = Reader(owners: owners, today: today)
        for (index, line) in lines.enumerated().dropFirst() { try reader.read(line, index + 1) }
        try reader.finish(lines.count + 1)
        payOuts = reader.payOuts
    }

    public static func == (left: Self, right: Self) -> Bool {
        left.payOuts.map(\.payOut) == right.payOuts.map(\.payOut)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(payOuts.map(\.payOut)) }
}

/// What was read of a file so far.
private struct Reader {
    let owners: [String: [PayOutFile.Owner]]
    let today: SettlementDate
    var payOuts: [(line: Int, payOut: PayOutReceived)] = []
    private var sums: [Currency: (count: Int, sum: Int64)] = [:]
    private var references: [String: Int] = [:]
    private var totals: Set<Currency> = []

    init(owners: [String: [PayOutFile.Owner]], today: SettlementDate) { (self.owners, self.today) = (owners, today) }

    mutating func read(_ text: String, _ line: Int) throws(PayOutFile.Fault) {
        func fault(_ reason: String) -> PayOutFile.Fault { .init(line: line, reason) }
        guard text != PayOutFile.header else { throw fault("the header stands here again: the file is doubled") }
        let cells = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 5 else { throw fault("5 columns are expected, there are \(cells.count)") }
        guard let currency = Currency(cells[2]) else { throw fault("currency is a code as in CNY") }
        guard let amount = Money(decimal: cells[3], currency: currency) else {
            throw fault("amount: \(Money.decimalForm(in: currency))")
        }
        if cells[0] == "total" { return try check(cells, amount, line) }
        guard totals.isEmpty else { throw fault("a pay-out stands behind a total") }
        guard let date = SettlementDate(cells[0]) else { throw fault("date is a day as in 2026-11-24") }
        guard date <= today else { throw fault("\(date) is later than today, \(today)") }
        let owners = owners[cells[1], default: []]
        guard let owner = owners.first else { throw fault("no merchant of merchants.json has this account") }
        guard owners.count == 1 else {
            throw fault(
                "\(owners.map(\.acquirer).joined(separator: " and ")) have an account of this number: which is paid?")
        }
        guard owner.currencies.contains(currency) else {
            let known = owner.currencies.map(\.code).sorted().joined(separator: ", ")
            throw fault("currency: the account has no \(currency), its routes have \(known)")
        }
        let day = SettlementDay(
            merchant: owner.merchant, acquirer: owner.acquirer, account: cells[1], date: date)
        guard PayOutReceived.isReference(cells[4]) else {
            throw fault("reference is 1 to 64 visible characters without spaces")
        }
        guard let payOut = PayOutReceived(day: day, amount: amount, reference: cells[4]) else {
            throw fault("an amount that is not zero is expected")
        }
        if let first = references.updateValue(line, forKey: "\(cells[1]) \(cells[4])") {
            throw fault("line \(first) has the same reference of this account")
        }
        let (count, sum) = sums[currency] ?? (0, 0)
        let (next, overflow) = sum.addingReportingOverflow(amount.minorUnits)
        guard !overflow else { throw fault("the sum exceeds 64 bits") }
        sums[currency] = (count + 1, next)
        payOuts.append((line, payOut))
    }

    /// A total: `total,,CNY,1314.76,2`.
    private mutating func check(_ cells: [String], _ amount: Money, _ line: Int) throws(PayOutFile.Fault) {
        let (count, sum) = sums[amount.currency] ?? (0, 0)
        guard cells[1].isEmpty, totals.insert(amount.currency).inserted else {
            throw .init(line: line, "a total is total,,\(amount.currency),AMOUNT,COUNT, once for each currency")
        }
        guard cells[4] == String(count), amount.minorUnits == sum else {
            throw .init(
                line: line,
                "the lines before have \(count) pay-outs of \(Money(minorUnits: sum, currency: amount.currency)), the total "
                    + "says \(cells[4]) of \(amount)")
        }
    }

    func finish(_ line: Int) throws(PayOutFile.Fault) {
        guard !payOuts.isEmpty else { throw .init(line: line, "the file has no pay-out") }
        let missing = sums.keys.filter { !totals.contains($0) }.map(\.code).sorted()
        guard missing.isEmpty else {
            throw .init(line: line, "the file is cut: the total of \(missing.joined(separator: ", ")) is missing")
        }
    }
}
