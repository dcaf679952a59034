/// Every version of the code that makes a row, by number. The newest makes new rows; an older row is read, posted and
/// hashed by its own versions.
///
/// A version is never changed once rows were written with it: a change is made in a copy with the next number. The
/// journals in `Tests/LedgerTests/Golden` define for ever what each version must give.
public struct VersionRegistry: Sendable {
    private let readers: [Int16: FactReader]
    private let rules: [Int16: PostingRules]
    private let layouts: [Int16: RowLayout]
    /// The versions that make new rows: the highest number of each.
    public let newest: VersionedCode

    /// All versions that this program knows.
    public static let known = Self(readers: [.v1, .v2], rules: [.v1, .v2], layouts: [.v1])

    /// - Parameter readers, rules, layouts: version 1 first.
    public init(readers: [FactReader], rules: [PostingRules], layouts: [RowLayout]) {
        precondition(!readers.isEmpty && !rules.isEmpty && !layouts.isEmpty, "there is a version of each")
        func numbered<Value>(_ list: [Value]) -> [Int16: Value] {
            Dictionary(uniqueKeysWithValues: list.enumerated().map { (Int16($0 + 1), $1) })
        }
        self.readers = numbered(readers)
        self.rules = numbered(rules)
        self.layouts = numbered(layouts)
        newest = VersionedCode(
            versions: RowVersions(
                reader: Int16(readers.count), rules: Int16(rules.count), layout: Int16(layouts.count)),
            reader: readers[readers.count - 1], rules: rules[rules.count - 1], layout: layouts[layouts.count - 1])
    }

    /// The code that made a row; nil when a newer program did.
    public subscript(versions: RowVersions) -> VersionedCode? {
        if versions == newest.versions { return newest }
        guard let reader = readers[versions.reader], let rules = rules[versions.rules],
            let layout = layouts[versions.layout]
        else { return nil }
        return VersionedCode(versions: versions, reader: reader, rules: rules, layout: layout)
    }
}
