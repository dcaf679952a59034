/// Rows of texts in columns.
struct Table {
    private var rows: [[String]] = []
    /// Columns with numbers, which are right-aligned.
    private let numbers: Set<Int>

    init(numbers: Set<Int> = []) { self.numbers = numbers }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// The lines, each indented by two spaces.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return numbers.contains(column) ? space + cell : cell + space
            }
            return "  " + cells.joined(separator: "  ").trimmingSpaceAtEnd
        }
    }
}

extension String {
    fileprivate var trimmingSpaceAtEnd: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
