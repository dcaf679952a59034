/// The layout of a settlement file's lines: columns of fixed widths with one space between them.
struct FixedWidthLine: Sendable {
    let widths: [Int]

    /// ZM, the transactions: 41 columns.
    static let transaction = FixedWidthLine(widths: [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 21, 2, 32, 2, 6, 10, 13, 13, 4, 15, 2, 2, 6, 2, 4, 32, 1, 21, 15, 1, 15, 32, 13,
        13, 8, 32, 13, 13, 12, 2, 1, 131,
    ])

    /// ZME, the errors and disputes: 22 columns.
    static let dispute = FixedWidthLine(widths: [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 2, 6, 10, 4, 12, 13, 13, 15, 15, 1, 12, 2, 135,
    ])

    /// A line with its end. Columns are numbered from 1; one that is left out is blank, one that is too long is cut.
    func line(_ cells: [Int: String]) -> [UInt8] {
        let padded = widths.enumerated().map { index, width in
            let text = Array((cells[index + 1] ?? "").utf8.prefix(width))
            return text + [UInt8](repeating: UInt8(ascii: " "), count: width - text.count)
        }
        return Array(padded.joined(separator: [UInt8(ascii: " ")])) + [0x0D, 0x0A]
    }
}
