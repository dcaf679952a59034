extension JSONReader {
    /// An error at the current path and offset, for anything that a format built on JSON refuses.
    public func error(_ code: JSONError.Code, _ reason: String) -> JSONError {
        error(code, reason, at: position)
    }

    func error(_ code: JSONError.Code, _ reason: String, at offset: Int) -> JSONError {
        JSONError(code, reason, path: path, offset: offset)
    }

    /// An error for text that is not JSON: what was expected at the current position.
    func expected(_ what: String) -> JSONError {
        guard let current else { return error(.syntax, "the text ends where \(what) is expected") }
        let isEnd = current == UInt8(ascii: "}") || current == UInt8(ascii: "]")
        guard isEnd, bytes[..<position].last(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }) == UInt8(ascii: ",")
        else {
            return error(.syntax, "\(what) is expected")
        }
        let end = Character(Unicode.Scalar(current))
        return error(.syntax, "\(what) is expected after a comma; a comma before \(end) is not allowed")
    }

    /// The value of a required member, called where its object has just been read.
    ///
    /// - Throws: ``JSONError`` `.missing` naming the member.
    @inlinable
    public func required<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else { throw missingMember(name) }
        return value
    }

    @usableFromInline
    func missingMember(_ name: String) -> JSONError {
        JSONError(
            .missing, "the member is required", path: path.isEmpty ? name : "\(path).\(name)", offset: position)
    }

    /// An error for a member of the current object that its format does not know.
    public func unknownMember() -> JSONError {
        error(.unknown, "the member is not known here")
    }

    /// An error for a value of another type, or for text that is no value at all.
    func mismatch(_ expected: String) -> JSONError {
        var copy = self
        do throws(JSONError) { _ = try copy.kind() } catch { return error }
        return error(.type, "\(expected) is expected")
    }

    /// The path of the current position, as in `lines[2].amount`. Names come from the text: they are made printable and
    /// short.
    var path: String {
        var path = ""
        for (depth, frame) in frames.enumerated() {
            if let index = frame.index {
                path += "[\(index)]"
            } else {
                let end = depth + 1 < frames.count ? frames[depth + 1].firstName : names.count
                guard end > frame.firstName else { continue }
                path +=
                    (path.isEmpty ? "" : ".") + OutsideText.printable(spelling(names[end - 1]), upTo: Self.maximumName)
            }
            if path.utf8.count > Self.maximumPath { return path.prefix(Self.maximumPath) + "…" }
        }
        return path
    }

    /// The most characters of a name that are shown.
    private static let maximumName = 64
    /// The most characters of a path that are shown.
    private static let maximumPath = 200
}
