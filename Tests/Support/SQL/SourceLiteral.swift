/// A string literal of a Swift source, in pieces: its text and its interpolations. Literals joined by `+` count as one.
public struct SourceLiteral: Sendable {
    public enum Piece: Hashable, Sendable {
        case text(String)
        /// The Swift expression between `\(` and `)`.
        case interpolation(String)
    }

    /// The file and the line of its beginning.
    public let place: String
    public internal(set) var pieces: [Piece]

    /// The literals of a source, without those inside an interpolation.
    public static func all(in text: String, at path: String) -> [SourceLiteral] {
        var scanner = LiteralScanner(text, path: path)
        return scanner.literals()
    }

    /// The text with its interpolations replaced.
    ///
    /// - Throws: ``UnknownInterpolation`` for one that has no value.
    public func text(with values: [String: String]) throws(UnknownInterpolation) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .text(let part): text += part
            case .interpolation(let name):
                guard let value = values[name] else { throw UnknownInterpolation(name: name, place: place) }
                text += value
            }
        }
        return text
    }

    public struct UnknownInterpolation: Error, CustomStringConvertible {
        let name: String
        let place: String
        public var description: String { "\(place): \\(\(name)) has no value: give it one in the table of the test" }
    }
}

/// Finds the string literals of a Swift source: enough of the language to separate them from comments.
private struct LiteralScanner {
    private let bytes: [UInt8]
    private let path: String
    private var next = 0

    init(_ text: String, path: String) {
        bytes = Array(text.utf8)
        self.path = path
    }

    mutating func literals() -> [SourceLiteral] {
        var found: [SourceLiteral] = []
        var isJoined = false
        while next < bytes.count {
            if skipComment() { continue }
            if let hashes = hashesBeforeQuote() {
                let line = bytes[..<next].count { $0 == UInt8(ascii: "\n") } + 1
                let pieces = literal(hashes)
                if isJoined, !found.isEmpty {
                    found[found.count - 1].pieces += pieces
                } else {
                    found.append(SourceLiteral(place: "\(path):\(line)", pieces: pieces))
                }
                isJoined = skipPlus()
                continue
            }
            isJoined = false
            next += 1
        }
        return found
    }

    private func has(_ text: String, at index: Int) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func skipComment() -> Bool {
        guard has("//", at: next) else { return false }
        while next < bytes.count, bytes[next] != UInt8(ascii: "\n") { next += 1 }
        return true
    }

    /// The number of `#` before a quote that begins here; nil when none does.
    private func hashesBeforeQuote() -> Int? {
        let hashes = bytes[next...].prefix { $0 == UInt8(ascii: "#") }.count
        return has("\"", at: next + hashes) ? hashes : nil
    }

    /// Whether only a `+` separates the literal that was read from the next one.
    private mutating func skipPlus() -> Bool {
        func blanks(_ start: Int) -> Int { bytes[start...].prefix { [0x20, 0x0A].contains($0) }.count }
        let plus = next + blanks(next)
        guard has("+ ", at: plus) else { return false }
        let quote = plus + 2 + blanks(plus + 2)
        guard has("\"", at: quote) || has("#\"", at: quote) else { return false }
        next = quote
        return true
    }

    private mutating func literal(_ hashes: Int) -> [SourceLiteral.Piece] {
        next += hashes
        let quotes = has("\"\"\"", at: next) ? "\"\"\"" : "\""
        next += quotes.utf8.count
        let marks = String(repeating: "#", count: hashes)
        var pieces: [SourceLiteral.Piece] = []
        var text: [UInt8] = []
        while next < bytes.count, !has(quotes + marks, at: next) {
            if has("\\" + marks + "(", at: next) {
                pieces.append(.text(String(decoding: text, as: UTF8.self)))
                text = []
                next += 2 + hashes
                pieces.append(.interpolation(expression()))
            } else if has("\\" + marks, at: next) {
                next += 1 + hashes
                text.append(bytes[next] == UInt8(ascii: "n") ? UInt8(ascii: "\n") : bytes[next])
                next += 1
            } else {
                text.append(bytes[next])
                next += 1
            }
        }
        next += quotes.utf8.count + hashes
        return pieces + [.text(String(decoding: text, as: UTF8.self))]
    }

    /// Reads up to the closing parenthesis, and over it.
    private mutating func expression() -> String {
        let start = next
        var depth = 1
        while next < bytes.count {
            if let hashes = hashesBeforeQuote() {
                _ = literal(hashes)
                continue
            }
            if bytes[next] == UInt8(ascii: "(") { depth += 1 }
            if bytes[next] == UInt8(ascii: ")") { depth -= 1 }
            next += 1
            if depth == 0 { break }
        }
        return String(decoding: bytes[start..<max(start, next - 1)], as: UTF8.self)
    }
}
