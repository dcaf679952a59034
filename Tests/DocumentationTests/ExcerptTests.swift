import Foundation
import TestSupport
import Testing

/// docs/client-web.md shows parts of the shop's own modules: a block `js FILE` stands in that file, line for line.
@Suite("Excerpts in the documentation")
struct ExcerptTests {
    private static let folder = "Tests/Sandbox/Demo/Storefront/Pages/js"

    /// A block of a page that names a module.
    struct Excerpt: Sendable, CustomStringConvertible {
        let page: String
        let module: String
        let block: CodeBlock

        var description: String { "\(page), line \(block.line): \(module)" }
    }

    static let excerpts: [Excerpt] = Document.all.flatMap { page in
        page.blocks.filter { $0.info.hasPrefix("js ") }.map {
            Excerpt(page: page.path, module: String($0.info.dropFirst(3)), block: $0)
        }
    }

    @Test("are in their modules as they stand", arguments: excerpts)
    func excerpt(_ excerpt: Excerpt) throws {
        let module = Checkout.root.appending(path: "\(Self.folder)/\(excerpt.module)")
        let lines = try String(contentsOf: module, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(Self.contains(excerpt.block.lines, in: lines), "\(excerpt) differs from the module")
    }

    @Test("show what a client must get right")
    func isComplete() {
        #expect(Self.excerpts.count >= 7)
        #expect(Set(Self.excerpts.map(\.module)) == ["checkout.js", "payment.js"])
    }

    @Test(
        "a changed, a missing and a moved line are noticed",
        arguments: [
            (["b", "c"], true), (["a", "b", "c", "d"], true), (["b", "d"], false), (["c", "b"], false), (["x"], false),
            ([], false),
        ])
    func comparison(excerpt: [String], isThere: Bool) {
        #expect(Self.contains(excerpt, in: ["a", "b", "c", "d"]) == isThere)
    }

    private static func contains(_ excerpt: [String], in lines: [String]) -> Bool {
        guard let first = excerpt.first else { return false }
        return lines.indices.contains { start in
            lines[start] == first && Array(lines[start...].prefix(excerpt.count)) == excerpt
        }
    }
}
