extension JSONReader {
    /// An error at the current path and offset, for whatever the format built on JSON refuses.
    public func error(_ code: JSONError.Code, _ reason: String) -> JSONError {
        error(code, reason, at: position)
    }

    func error(_ code: JSONError.Code, _ reason: String, at offset: Int) -> JSONError {
        JSONError(code, reason, path: path, offset: offset)
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

    /// Where reading stands, as in `lines[2].amount`. The names come from the text: they are made harmless and short.
    var path: String {
        var path = ""
        for (depth, frame) in frames.enumerated() {
            if let index = frame.index {
                path += "[\(index)]"
            } else {
                let end = depth + 1 < frames.count ? frames[depth + 1].firstName : names.count
                guard end > frame.firstName else { continue }
                path += (path.isEmpty ? "" : ".") + OutsideText.printable(spelling(names[end - 1]))
            }
            if path.utf8.count > Self.maximumPath { return path.prefix(Self.maximumPath) + "…" }
        }
        return path
    }

    /// Characters of a path that are told.
    private static let maximumPath = 200
}
