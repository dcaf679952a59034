import Foundation
import OrchardJSON
import TestSupport

/// A page of the documentation, for tests that send what it shows.
struct Page {
    /// A block `json NAME` of the page.
    struct Block {
        let name: String
        let line: Int
        var text = ""
    }

    private let path: String

    init(_ path: String) { self.path = path }

    var text: String {
        get throws { try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8) }
    }

    /// The blocks `json NAME`, in their order.
    var blocks: [Block] {
        get throws { try blocks(of: "json ") }
    }

    /// The blocks whose first line begins with a word.
    func blocks(of word: String) throws -> [Block] {
        var blocks: [Block] = []
        var isOpen = false
        for (index, line) in try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```\(word)") {
                isOpen = true
                blocks.append(Block(name: String(line.dropFirst(3 + word.count)), line: index + 1))
            } else if line.hasPrefix("```") {
                isOpen = false
            } else if isOpen {
                blocks[blocks.count - 1].text += line + "\n"
            }
        }
        return blocks
    }

    /// Where a value is not as the page shows it; it may have more members.
    static func faults(_ value: JSONValue?, _ shown: JSONValue, _ path: String) -> [String] {
        switch shown {
        case .string("…"): return value == nil ? ["\(path) is missing"] : []
        case .object(let members): return members.flatMap { faults(value?[$0.name], $0.value, "\(path).\($0.name)") }
        case .array(let elements):
            guard value?.array?.count == elements.count else { return ["\(path) has other elements"] }
            return elements.enumerated().flatMap { faults(value?[$0.offset], $0.element, "\(path)[\($0.offset)]") }
        default: return value == shown ? [] : ["\(path) is \(value.map { "\($0)" } ?? "missing")"]
        }
    }
}
