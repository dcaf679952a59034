import Foundation
import TestSupport
import Testing

/// Pages show parts of sources that are compiled and tried: a block `swift PATH`, or `js FILE` of the shop's modules,
/// stands in that file, line for line. A line of … stands for lines that are left out.
@Suite("Excerpts in the documentation")
struct ExcerptTests {
    private static let modules = "Tests/Sandbox/Demo/Storefront/Pages/js"

    /// A block of a page that names a file.
    struct Excerpt: Sendable, CustomStringConvertible {
        let page: String
        /// Relative to the checkout.
        let path: String
        let block: CodeBlock

        var description: String { "\(page), line \(block.line): \(path)" }
    }

    static let excerpts: [Excerpt] = Document.all.flatMap { page in
        page.blocks.compactMap { block in
            let words = block.info.split(separator: " ").map(String.init)
            guard words.count == 2 else { return nil }
            switch words[0] {
            case "swift": return Excerpt(page: page.path, path: words[1], block: block)
            case "js": return Excerpt(page: page.path, path: "\(modules)/\(words[1])", block: block)
            default: return nil
            }
        }
    }

    @Test("are in their files as they stand", arguments: excerpts)
    func excerpt(_ excerpt: Excerpt) throws {
        let source = try String(contentsOf: Checkout.root.appending(path: excerpt.path), encoding: .utf8)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(Self.contains(excerpt.block.lines, in: lines), "\(excerpt) differs from the file")
    }

    @Test(
        "show what a reader must get right",
        arguments: [("docs/client-ios.md", 7), ("docs/client-web.md", 7), ("docs/extending.md", 6)])
    func isComplete(page: String, atLeast: Int) {
        #expect(Self.excerpts.count { $0.page == page } >= atLeast)
    }

    @Test(
        "a changed, a missing and a moved line are noticed",
        arguments: [
            (["b", "c"], true), (["a", "b", "c", "d"], true), (["b", "d"], false), (["c", "b"], false), (["x"], false),
            (["a", "    …", "c"], true), (["a", "    …", "x"], false), (["c", "    …", "a"], false), ([], false),
        ])
    func comparison(excerpt: [String], isThere: Bool) {
        #expect(Self.contains(excerpt, in: ["a", "b", "c", "d"]) == isThere)
    }

    private static func contains(_ excerpt: [String], in lines: [String]) -> Bool {
        let parts = excerpt.split { $0.trimmingCharacters(in: .whitespaces) == "…" }
        var rest = lines[...]
        for part in parts {
            guard let start = rest.indices.first(where: { rest[$0...].starts(with: part) }) else { return false }
            rest = rest[(start + part.count)...]
        }
        return !parts.isEmpty
    }
}
