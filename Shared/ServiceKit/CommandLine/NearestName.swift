/// Finds the name that a mistyped name probably stands for.
enum NearestName {
    /// `, did you mean "…"?` or nothing.
    static func hint(_ name: String, among names: some Sequence<String>) -> String {
        guard let nearest = find(name, among: names) else { return "" }
        return ", did you mean \"\(nearest)\"?"
    }

    /// The name with the fewest edits, when they are few enough for its length.
    static func find(_ name: String, among names: some Sequence<String>) -> String? {
        let limit = max(1, min(4, name.count / 3))
        return names.sorted()
            .map { (name: $0, distance: distance(Array(name.utf8), Array($0.utf8))) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.name
    }

    /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var rows = [Array(0...right.count)]
        for i in 1...left.count {
            var row = [i]
            for j in 1...right.count {
                let cost = left[i - 1] == right[j - 1] ? 0 : 1
                var best = min(rows[i - 1][j] + 1, row[j - 1] + 1, rows[i - 1][j - 1] + cost)
                if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] {
                    best = min(best, rows[i - 2][j - 2] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
