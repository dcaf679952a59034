/// Reads JSON strictly, value by value, from bytes.
///
/// Foundation accepts duplicate members, trailing commas, other encodings and `1.0` as an integer. With each of these,
/// two readers can get different amounts from one message. This reader refuses them all, and any text after the value:
///
///     let order = try JSONReader.read(bytes) { reader throws(JSONError) in
///         var amount: Int64?
///         try reader.object { reader, name throws(JSONError) in
///             switch name {
///             case "amount": amount = try reader.int64()
///             default: try reader.skip()
///             }
///         }
///         return Order(amount: try reader.required(amount, "amount"))
///     }
///
/// Every value must be consumed exactly once, in the order of the text. A skipped value is checked too.
public struct JSONReader {
    /// An object or array that is open at the current position.
    struct Frame {
        /// The number of names in `names` before this container's own.
        let firstName: Int
        /// The element being read, or nil in an object.
        var index: Int?
    }

    /// A member's name between its quotation marks, as written in the text.
    struct Name {
        let text: Range<Int>
        /// What it spells, if it has escapes.
        let unescaped: [UInt8]?
    }

    /// Objects with more members than this find duplicate names with a set.
    static let linearNames = 16

    @usableFromInline let bytes: [UInt8]
    let maximumDepth: Int
    let maximumValues: Int
    /// How many members and elements were begun.
    private var values = 0
    @usableFromInline var position = 0
    /// The containers around the current value, outermost first.
    var frames: [Frame] = []
    /// The names read so far of every open object, outermost object first: finds duplicates, and the path of an error.
    var names: [Name] = []

    /// Prepares to read.
    ///
    /// - Parameters:
    ///   - maximumDepth: how many objects and arrays may be open at once.
    ///   - maximumValues: how many members and elements the whole text may have. A value costs more memory than its
    ///     bytes, so a text from outside gets a limit.
    /// - Throws: ``JSONError`` `.encoding` for a byte order mark.
    public init(_ bytes: [UInt8], maximumDepth: Int = 32, maximumValues: Int = .max) throws(JSONError) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
        self.maximumValues = maximumValues
        // Enough for most texts: to grow step by step takes longer than to read the names.
        frames.reserveCapacity(4)
        names.reserveCapacity(16)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw error(.encoding, "the text starts with a byte order mark; send plain UTF-8")
        }
    }

    /// Reads one whole text: `body` consumes its value. Only white space may follow.
    public static func read<Value: ~Copyable>(
        _ bytes: [UInt8], maximumDepth: Int = 32, maximumValues: Int = .max,
        _ body: (inout JSONReader) throws(JSONError) -> Value
    ) throws(JSONError) -> Value {
        var reader = try JSONReader(bytes, maximumDepth: maximumDepth, maximumValues: maximumValues)
        let value = try body(&reader)
        try reader.end()
        return value
    }

    /// Checks that the text ends here.
    public mutating func end() throws(JSONError) {
        skipSpace()
        if position < bytes.count { throw error(.syntax, "there is more text after the value") }
    }

    /// Reads an object: `member` is called with each name and must consume its value.
    public mutating func object(
        _ member: (inout JSONReader, JSONName) throws(JSONError) -> Void
    ) throws(JSONError) {
        try open(UInt8(ascii: "{"), "an object", index: nil)
        let first = names.count
        var large: Set<String> = []
        var seen: UInt64 = 0
        if !consume(UInt8(ascii: "}")) {
            repeat {
                try countValue()
                skipSpace()
                guard current == UInt8(ascii: "\"") else { throw expected("a member name in quotes") }
                let name = try memberName(after: first, large: &large, seen: &seen)
                guard consume(UInt8(ascii: ":")) else { throw expected("a colon after a member name") }
                try member(&self, name)
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "}")) else { throw expected("a comma or } after a member") }
        }
        names.removeSubrange(first...)
        frames.removeLast()
    }

    /// Reads an array: `element` is called for each element and must consume it.
    public mutating func array(_ element: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        try open(UInt8(ascii: "["), "an array", index: 0)
        if !consume(UInt8(ascii: "]")) {
            var index = 0
            repeat {
                try countValue()
                frames[frames.count - 1].index = index
                try element(&self)
                index += 1
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "]")) else { throw expected("a comma or ] after an element") }
        }
        frames.removeLast()
    }

    /// Reads `true` or `false`.
    public mutating func bool() throws(JSONError) -> Bool {
        skipSpace()
        if consume(word: "true") { return true }
        if consume(word: "false") { return false }
        throw mismatch("true or false")
    }

    /// Consumes a `null` if there is one.
    public mutating func isNull() -> Bool {
        skipSpace()
        return consume(word: "null")
    }

    /// Consumes any value, checking it as if it had been read.
    public mutating func skip() throws(JSONError) {
        switch try kind() {
        case .object: try object { reader, _ throws(JSONError) in try reader.skip() }
        case .array: try array { reader throws(JSONError) in try reader.skip() }
        case .string: try utf8 { _ in }
        case .number: _ = try number()
        case .bool: _ = try bool()
        case .null: _ = isNull()
        }
    }

    /// The type of the next value, which is not consumed.
    public mutating func kind() throws(JSONError) -> JSONKind {
        skipSpace()
        guard let current else { throw expected("a value") }
        switch current {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t") where follows("true"), UInt8(ascii: "f") where follows("false"): return .bool
        case UInt8(ascii: "n") where follows("null"): return .null
        default: throw expected("a value")
        }
    }

    private mutating func countValue() throws(JSONError) {
        values += 1
        if values > maximumValues { throw error(.size, "the text has more than \(maximumValues) values") }
    }

    private mutating func open(_ bracket: UInt8, _ what: String, index: Int?) throws(JSONError) {
        skipSpace()
        guard current == bracket else { throw mismatch(what) }
        guard frames.count < maximumDepth else {
            throw error(.depth, "objects and arrays are nested more than \(maximumDepth) deep")
        }
        position += 1
        frames.append(Frame(firstName: names.count, index: index))
    }

    /// Reads a name of the current object, whose names begin at `first`.
    ///
    /// - Parameter seen: a bit for each kind of name (by length, first and last byte) that was read. Most names are the
    ///   first of their kind, and need no comparison.
    private mutating func memberName(
        after first: Int, large: inout Set<String>, seen: inout UInt64
    ) throws(JSONError) -> JSONName {
        let (text, hasEscapes) = try scanString()
        var name = JSONName(bytes, text)
        // A name with the Kelvin sign would equal one with a K, for a reader who compares by canonical equivalence.
        var isNormal = true
        if hasEscapes || !bytes.span.extracting(text).isASCII {
            let decoded = try string(text, hasEscapes: hasEscapes)
            var utf8 = decoded.utf8Span
            isNormal = utf8.checkForNFC(quickCheck: false)
            name = JSONName(decoded)
        }
        position = text.upperBound + 1
        var isDuplicate = false
        if isNormal, names.count - first < Self.linearNames {
            let kind = Self.kind(name.bytes.span.extracting(name.range))
            if seen & kind != 0 {
                for index in first..<names.count where isSpelled(names[index], name) { isDuplicate = true }
            }
            seen |= kind
        } else if isNormal {
            if large.isEmpty { large.formUnion(names[first...].map(spelling)) }
            isDuplicate = !large.insert(name.description).inserted
        }
        names.append(Name(text: text, unescaped: hasEscapes ? name.bytes : nil))
        if isDuplicate { throw error(.duplicate, "the member is there twice") }
        guard isNormal else {
            throw error(.encoding, "the member's name is not in Unicode's normalization form C")
        }
        return name
    }

    /// The bit of a name's kind.
    private static func kind(_ name: Span<UInt8>) -> UInt64 {
        guard name.count > 0 else { return 1 }
        let number = UInt8(truncatingIfNeeded: name.count) &+ name[0] &* 7 &+ name[name.count - 1] &* 3
        return 1 << UInt64(number & 63)
    }

    /// Whether an earlier name equals this one, byte for byte.
    private func isSpelled(_ earlier: Name, _ name: JSONName) -> Bool {
        let spelled = earlier.unescaped.map { $0[...] } ?? bytes[earlier.text]
        return spelled.elementsEqual(name.bytes[name.range])
    }

    /// The text of an earlier name.
    func spelling(_ name: Name) -> String {
        String(decoding: name.unescaped ?? Array(bytes[name.text]), as: UTF8.self)
    }
}
