/// What the migrations make of an empty database, written by `Tests/record schema`: never edit it by hand.
enum LedgerCatalogue {
    static let text = #"""
        """#
}
