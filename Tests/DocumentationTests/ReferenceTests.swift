import Foundation
import SandboxProcesses
import TestSupport
import Testing

@Suite("Names in the documentation")
struct ReferenceTests {
    @Test("links have existing targets", arguments: Document.all)
    func links(document: Document) {
        let folder = Checkout.root.appending(path: document.path).deletingLastPathComponent()
        for link in document.lines.joined(separator: "\n").matches(of: #/\]\(([^)#\s]+)/#).map(\.output.1)
        where !link.contains("://") {
            #expect(exists(folder.appending(path: String(link))), "\(document.path) links to \(link)")
        }
    }

    @Test("paths exist", arguments: Document.all)
    func paths(document: Document) {
        for code in document.code {
            for path in code.matches(of: #/(?:^|[ (])((?:Services|Shared|Tests|docs|deploy|\.ci)/[\w.\/+-]*)/#).map(
                \.output.1)
            where !code.contains("NNNN") {
                #expect(exists(Checkout.root.appending(path: String(path))), "\(document.path) names \(path)")
            }
        }
    }

    @Test("rules that the code cites are in docs/architecture.md")
    func rules() throws {
        let page = try Document("docs/architecture.md").lines.joined(separator: "\n")
        let section = try #require(page.split(separator: "## Rules that never bend").last)
        let known = Set(section.matches(of: #/(?m)^(\d+)\. \*\*/#).map(\.output.1))
        #expect(known.count == 12)
        for (path, text) in try Checkout.sources(below: ["Services", "Shared", "Tests"]) {
            for number in text.matches(of: #/\b[Rr]ules? (\d+)/#).map(\.output.1) {
                #expect(known.contains(number), "\(path) cites rule \(number)")
            }
        }
    }

    @Test("commands that messages recommend exist")
    func messages() throws {
        var known: [String: Bool] = [:]
        for (path, text) in try Checkout.sources(below: ["Services", "Shared"]) {
            for match in text.matches(of: #/`(token-ingest|charge-gateway|order-ledger|sandbox)((?: [a-z]+)+)/#) {
                let expected = [String(match.output.1)] + match.output.2.split(separator: " ").map(String.init)
                let name = expected.joined(separator: " ")
                if known[name] == nil { known[name] = try Programs.help(expected).contains("\nUsage: ") }
                #expect(known[name] == true, "\(path) names `\(name)`")
            }
        }
        #expect(!known.isEmpty)
    }

    @Test(
        "the picture is made from its text", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3")))
    func picture() throws {
        let folder = Checkout.root.appending(path: "docs/images")
        let drawn = try ProgramRun(
            "/usr/bin/python3", [folder.appending(path: "draw").path, folder.appending(path: "payment.txt").path])
        #expect(try String(contentsOf: folder.appending(path: "payment.svg"), encoding: .utf8) == drawn.output)
    }

    @Test("targets of make exist", arguments: Document.all)
    func targets(document: Document) throws {
        let makefile = try String(contentsOf: Checkout.root.appending(path: "Makefile"), encoding: .utf8)
        let known = Set(makefile.matches(of: #/(?m)^([a-z]+):/#).map(\.output.1))
        for code in document.code {
            guard let line = code.firstMatch(of: #/(?:^|\$ |[)] )make((?: [a-z]+)+)/#) else { continue }
            for target in line.output.1.split(separator: " ") {
                #expect(known.contains(target), "\(document.path): make \(target)")
            }
        }
    }

    @Test("commands and their options exist", arguments: Document.all)
    func commands(document: Document) throws {
        for code in document.code {
            let expected = code.drop { $0 == "$" || $0 == " " }.split(separator: " ").map(String.init)
            guard let program = expected.first, Programs.names.contains(program), expected.count > 1 else { continue }
            let path = expected.prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } && !$0.hasPrefix("-") }
            let text = try Programs.help(Array(path))
            #expect(text.contains("\nUsage: "), "\(document.path): \(code)")
            for option in code.matches(of: #/ (--[a-z-]+)/#).map(\.output.1)
            where option != "--help" && option != "--config" {
                #expect(text.contains("  \(option)"), "\(document.path): \(program) has no \(option): \(code)")
            }
        }
    }

    @Test("settings exist", arguments: Document.all)
    func settings(document: Document) throws {
        for name in document.code.flatMap({
            $0.matches(of: #/[`"]?\b([a-z]+(?:\.[a-z_-]+)+)\b/#).map { String($0.output.1) }
        })
        where Self.settings.prefixes.contains(String(name.prefix { $0 != "." })) && !Self.isFile(name) {
            let option = name.replacing(".", with: "-").replacing("_", with: "-")
            let isKnown = Self.settings.options.contains(option) || name.hasPrefix("kafka.properties")
            #expect(isKnown, "\(document.path): \(name) is no setting")
        }
    }

    /// Every setting of the three services as an option without dashes, and the first words of their names.
    private static let settings: (options: Set<String>, prefixes: Set<String>) = {
        let pages = Programs.names.prefix(3).compactMap { try? Programs.help([$0, "serve"]) }
        let options = Set(pages.flatMap { $0.matches(of: #/(?m)^  --([a-z-]+)$/#).map { String($0.output.1) } })
        return (options, Set(options.map { String($0.prefix { $0 != "-" }) }).union(["kafka"]))
    }()

    private static func isFile(_ name: String) -> Bool {
        [".json", ".pem", ".md", ".log", ".example", ".csr", ".sh", ".timer"].contains { name.hasSuffix($0) }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.standardizedFileURL.path) }
}
