import Foundation
import TestSupport

/// A page of the documentation.
struct Document: Sendable, CustomStringConvertible {
    /// Relative to the checkout: `docs/running.md`.
    let path: String
    let lines: [String]

    var description: String { path }

    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Every page: those beside README.md, and docs/.
    static let all: [Document] = {
        let root = Checkout.root
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        let below = (try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: "docs").path)) ?? []
        return (beside + below.map { "docs/" + $0 }).filter { $0.hasSuffix(".md") }.sorted()
            .compactMap { try? Document($0) }
    }()

    /// Code blocks between fences, in their order.
    var blocks: [CodeBlock] {
        var blocks: [CodeBlock] = []
        var open: CodeBlock?
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") {
                if let block = open { blocks.append(block) }
                open = open == nil ? CodeBlock(info: String(text.dropFirst(3)), line: index + 2, lines: []) : nil
            } else {
                open?.lines.append(line)
            }
        }
        return blocks
    }

    /// Texts between backquotes outside of fences, and indented lines: names that must exist. What stands in Python is
    /// another system's.
    var code: [String] {
        var fence: Substring?
        return lines.flatMap { line -> [String] in
            let text = line.drop { $0 == " " }
            if text.hasPrefix("```") { fence = fence == nil ? text : nil }
            if let fence { return fence.hasPrefix("```python") ? [] : [line] }
            if line.hasPrefix("    ") { return [String(line.dropFirst(4))] }
            return line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 1 }.map { String($0.element) }
        }
    }
}

/// A code block with the text after its opening fence.
struct CodeBlock: Sendable {
    let info: String
    /// The line where its text begins, counted from 1.
    let line: Int
    var lines: [String]

    var text: String { lines.joined(separator: "\n") + "\n" }
    var isSession: Bool { info == "console" }
    /// The file that a block `json NAME` or `python NAME` shows.
    var file: String? {
        let words = info.split(separator: " ")
        return words.count == 2 && ["json", "python"].contains(words[0]) ? String(words[1]) : nil
    }
}
