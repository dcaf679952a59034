/// The name of a member that is read.
///
/// A literal is compared with it byte by byte: no `String` is made of a plain name that only selects a branch. A name is
/// in Unicode's normalization form C, so that equal names have equal bytes.
public struct JSONName: Sendable, CustomStringConvertible {
    /// The text that it is part of; the name alone if it has escapes or is not ASCII.
    @usableFromInline let bytes: [UInt8]
    @usableFromInline let range: Range<Int>

    @inlinable
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    init(_ text: String) {
        let bytes = Array(text.utf8)
        self.init(bytes, bytes.indices)
    }

    /// How many bytes it has in UTF-8.
    public var count: Int { range.count }

    /// The name as a text.
    public var description: String { String(decoding: bytes[range], as: UTF8.self) }

    /// So that `switch` compares a name with literals.
    @inlinable
    public static func ~= (pattern: StaticString, name: JSONName) -> Bool {
        name.range.count == pattern.utf8CodeUnitCount
            && pattern.withUTF8Buffer { other in
                let own = name.bytes.span
                for place in 0..<other.count where own[name.range.lowerBound &+ place] != other[place] { return false }
                return true
            }
    }

    @inlinable
    public static func == (name: JSONName, text: String) -> Bool {
        name.bytes[name.range].elementsEqual(text.utf8)
    }
}
