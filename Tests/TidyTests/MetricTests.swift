import Foundation
import TestSupport
import Testing

@Suite("Metrics", .ownThreads)
struct MetricTests {
    /// Names as the sources have them; `PREFIX` where a shared part puts the program's name.
    private static let metrics: [(kind: String, name: String, path: String)] = SourceFile.ofProduct.flatMap { file in
        file.code.matches(of: #/\b(counter|gauge|histogram)s?\(\s*"([^"]+)"/#.wordBoundaryKind(.simple)).map { match in
            (
                String(match.output.1),
                String(match.output.2.replacing(#/\\\([^)]*\)/#, with: "PREFIX")), file.path
            )
        }
    }

    @Test("follow Prometheus' rules: lower case, the unit last, counters end in _total")
    func names() {
        #expect(Self.metrics.count > 40)
        for (kind, name, path) in Self.metrics {
            #expect(
                name.replacing("PREFIX", with: "p").allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" },
                "\(path): \(name)")
            if kind == "gauge" { #expect(!name.hasSuffix("_total"), "\(path): \(name)") }
            if kind == "histogram" {
                #expect(name.hasSuffix("_seconds") || name.hasSuffix("_bytes"), "\(path): \(name)")
            }
            #expect(!name.contains("_milliseconds") && !name.contains("_minutes"), "\(path): \(name)")
        }
    }

    @Test("are all listed in docs/metrics.md, and no other")
    func documentation() throws {
        let page = try String(contentsOf: Checkout.root.appending(path: "docs/metrics.md"), encoding: .utf8)
        let listed = Set(page.matches(of: #/(?m)^\| `([A-Za-z_]+)/#).map { String($0.output.1) })
        let known = Set(
            Self.metrics.map { kind, name, _ in kind == "counter" && !name.hasSuffix("_total") ? name + "_total" : name
            })
        for name in known.subtracting(listed).sorted() { Issue.record("docs/metrics.md lacks \(name)") }
        for name in listed.subtracting(known).sorted() {
            Issue.record("docs/metrics.md lists \(name), which does not exist")
        }
    }
}
