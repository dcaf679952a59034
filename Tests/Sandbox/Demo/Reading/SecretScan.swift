/// Searches for card numbers and cryptograms where they must not be.
///
/// It also counts a marker: a text that is no secret and must be present. So a scan that reads nothing, or reads
/// wrongly, is not mistaken for one that found nothing.
struct SecretScan: Sendable {
    /// Each secret by its first eight bytes.
    private let byPrefix: [UInt64: [[UInt8]]]
    private let marker: [UInt8]
    /// The number of different secrets.
    let count: Int
    private(set) var markersSeen = 0
    private(set) var scannedBytes = 0
    private(set) var findings: [Finding] = []

    /// - Parameters:
    ///   - secrets: texts of at least eight bytes.
    ///   - marker: a text of at least eight bytes.
    init(secrets: [String], marker: String) {
        self.marker = Array(marker.utf8)
        let texts = Set(secrets.map { Array($0.utf8) }.filter { $0.count >= 8 })
        var table: [UInt64: [[UInt8]]] = [:]
        for text in texts.union([self.marker]) { table[Self.prefix(text.prefix(8)), default: []].append(text) }
        byPrefix = table
        count = texts.count
    }

    /// Scans the bytes of a place: a log, a record, a row.
    mutating func scan(_ bytes: [UInt8], place: String) {
        scannedBytes += bytes.count
        guard bytes.count >= 8 else { return }
        var window = Self.prefix(bytes[0..<7])
        for end in 7..<bytes.count {
            window = window << 8 | UInt64(bytes[end])
            guard let candidates = byPrefix[window] else { continue }
            let start = end - 7
            for text in candidates where bytes[start...].starts(with: text) {
                if text == marker {
                    markersSeen += 1
                    continue
                }
                findings.append(Finding(book: "scan", text: "card data in \(place) at byte \(start)"))
            }
        }
    }

    private static func prefix(_ bytes: some Collection<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
