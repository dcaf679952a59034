/// The code of one set of versions: makes a row from a record. Each record that was read refers to it.
public final class VersionedCode: Sendable {
    public let versions: RowVersions
    public let reader: FactReader
    public let rules: PostingRules
    public let layout: RowLayout

    public init(versions: RowVersions, reader: FactReader, rules: PostingRules, layout: RowLayout) {
        self.versions = versions
        self.reader = reader
        self.rules = rules
        self.layout = layout
    }
}
