import Charging

/// The lines of a file of fixed widths: by bytes, one space between columns, CRLF behind each line. Texts are GBK and are
/// never cut by characters.
struct FixedWidthFile {
    /// Its name in errors.
    let name: String
    let widths: [Int]
    private let bytes: [UInt8]
    private let lineLength: Int

    /// More rows than any account has in a day.
    static let maximumLines = 250_000

    init(_ bytes: [UInt8], name: String, widths: [Int]) throws(SettlementFileError) {
        (self.bytes, self.name, self.widths) = (bytes, name, widths)
        lineLength = widths.reduce(0, +) + widths.count - 1
        guard bytes.count % (lineLength + 2) == 0 else {
            throw SettlementFileError(
                .form, "\(bytes.count) bytes are not lines of \(lineLength) and CRLF: cut, or another version",
                at: .init(name, line: bytes.count / (lineLength + 2) + 1))
        }
        guard count <= Self.maximumLines else {
            throw SettlementFileError(.packing, "more than \(Self.maximumLines) lines", at: .init(name))
        }
    }

    /// The card number's column, the sixth of both files: from this byte on, so many.
    private static let card = (
        place: DetailFile.widths.prefix(5).reduce(0, +) + 5, width: DetailFile.widths[5]
    )

    /// Refuses card numbers that the acquirer did not mask, before anything else is looked at: what is refused is kept aside,
    /// and card numbers are kept nowhere.
    static func requireMaskedCards(_ bytes: [UInt8]) throws(SettlementFileError) {
        var number = 0
        for line in bytes.split(separator: 10, omittingEmptySubsequences: false) {
            number += 1
            let column = line.dropFirst(card.place).prefix(card.width)
            guard column.count(where: { (0x30...0x39).contains($0) }) < 13 else {
                throw SettlementFileError(
                    .cardNumber, "the card number is not masked; of this file no bytes are kept",
                    at: .init("the archive", line: number, column: 6))
            }
        }
    }

    /// How many lines it has.
    var count: Int { bytes.count / (lineLength + 2) }

    /// A line, from 1.
    func line(_ number: Int) throws(SettlementFileError) -> FixedWidthLine {
        let start = (number - 1) * (lineLength + 2)
        guard bytes[start + lineLength] == 13, bytes[start + lineLength + 1] == 10 else {
            throw SettlementFileError(
                .form, "the line does not end with CRLF at byte \(lineLength)", at: .init(name, line: number))
        }
        var cells: [ArraySlice<UInt8>] = []
        cells.reserveCapacity(widths.count)
        var place = start
        for (index, width) in widths.enumerated() {
            let cell = bytes[place..<(place + width)]
            place += width + 1
            guard index == widths.count - 1 || bytes[place - 1] == UInt8(ascii: " ") else {
                throw SettlementFileError(
                    .form, "no space follows the column", at: .init(name, line: number, column: index + 1))
            }
            guard !cell.contains(where: { $0 < 0x20 }) else {
                throw SettlementFileError(
                    .form, "the column has a control character", at: .init(name, line: number, column: index + 1))
            }
            cells.append(cell)
        }
        return FixedWidthLine(file: name, number: number, cells: cells)
    }
}

/// A line of a file of fixed widths. Columns are numbered from 1, as UnionPay does.
struct FixedWidthLine {
    let file: String
    let number: Int
    let cells: [ArraySlice<UInt8>]

    /// A column without the spaces that fill it.
    func text(_ column: Int) -> ArraySlice<UInt8> {
        var cell = cells[column - 1]
        while cell.last == UInt8(ascii: " ") { cell = cell.dropLast() }
        while cell.first == UInt8(ascii: " ") { cell = cell.dropFirst() }
        return cell
    }

    /// A column of so many digits.
    func digits(_ column: Int, _ count: Int) throws(SettlementFileError) -> String {
        let text = text(column)
        guard text.count == count, text.allSatisfy(Self.isDigit) else {
            throw error(.column, "\(count) digits are expected", column)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A column of letters and digits, one at least.
    func word(_ column: Int) throws(SettlementFileError) -> String {
        let text = text(column)
        guard !text.isEmpty, text.allSatisfy(ACPSignature.isAlphanumeric) else {
            throw error(.column, "letters and digits are expected", column)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A column of twelve digits: fen.
    func fen(_ column: Int) throws(SettlementFileError) -> Int64 {
        guard let fen = Int64(try digits(column, 12)) else {
            throw error(.column, "twelve digits are expected", column)
        }
        return fen
    }

    /// A column of a sign and twelve digits.
    ///
    /// - Parameter plus: `C` or `D`, which counts as positive.
    func signedFen(_ column: Int, plus: Character) throws(SettlementFileError) -> Int64 {
        let text = text(column)
        guard text.count == 13, text.dropFirst().allSatisfy(Self.isDigit), let sign = text.first,
            sign == UInt8(ascii: "C") || sign == UInt8(ascii: "D"),
            let fen = Int64(String(decoding: text.dropFirst(), as: UTF8.self))
        else { throw error(.column, "C or D and twelve digits are expected", column) }
        return sign == plus.asciiValue ? fen : -fen
    }

    func error(_ code: SettlementFileError.Code, _ reason: String, _ column: Int? = nil) -> SettlementFileError {
        SettlementFileError(code, reason, at: .init(file, line: number, column: column))
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
