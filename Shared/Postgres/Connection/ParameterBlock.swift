/// The parameters of one statement as libpq needs them: parallel arrays of values, lengths and formats.
struct ParameterBlock {
    private var bytes: [UInt8] = []
    /// Start and length in `bytes`; nil for NULL.
    private var ranges: [(start: Int, length: Int)?] = []

    /// - Throws: ``PostgresError/Code/value`` for a parameter that PostgreSQL cannot store.
    init(_ parameters: [any PostgresEncodable]) throws(PostgresError) {
        ranges.reserveCapacity(parameters.count)
        for parameter in parameters {
            guard !parameter.isPostgresNull else {
                ranges.append(nil)
                continue
            }
            let start = bytes.count
            try parameter.encode(into: &bytes)
            ranges.append((start, bytes.count - start))
        }
        // One byte more, so that there is an address also for values of length zero.
        bytes.append(0)
    }

    /// Calls `body` with the arrays, which are valid inside it only.
    func withPointers<Result>(
        _ body: (_ count: Int32, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = ranges.map { range in range.flatMap { base?.advanced(by: $0.start) } }
            let lengths = ranges.map { Int32($0?.length ?? 0) }
            return body(Int32(ranges.count), values, lengths, ranges.map { _ in 1 })
        }
    }
}
