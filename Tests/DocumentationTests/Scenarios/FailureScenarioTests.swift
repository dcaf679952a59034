import Foundation
import TestSupport
import Testing

@Suite("docs/failure-scenarios.md")
struct FailureScenarioTests {
    private static let page = Checkout.root.appending(path: "docs/failure-scenarios.md")

    @Test("is what the tests' names make of it (docs/record writes it again)")
    func page() throws {
        let text = try Self.text(MarkedTest.all())
        if ProcessInfo.processInfo.environment["ORCHARD_RECORD"] == "scenarios" {
            try Data(text.utf8).write(to: Self.page)
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
    }

    @Test("has every scenario, with tests of which one always runs, or with the reason why it waits")
    func scenarios() throws {
        let tests = try MarkedTest.all()
        #expect(FailureScenario.all.map(\.number) == Array(1...57))
        for scenario in FailureScenario.all {
            let own = tests.filter { $0.numbers.contains(scenario.number) }
            #expect(!own.isEmpty || scenario.waits != nil, "nothing proves scenario \(scenario.number)")
            #expect(own.isEmpty || own.contains { !$0.isConditional }, "scenario \(scenario.number)")
        }
        for test in tests {
            #expect(test.numbers.allSatisfy { 1...57 ~= $0 } && !test.numbers.isEmpty, "\(test.name)")
        }
    }

    @Test(
        "takes a test's name from its suite and title",
        arguments: [
            (
                "@Suite(\"Tea\")\nstruct A {\n    // Failure scenario 1.\n    @Test(\n        \"is hot\", .enabled(if: x))\n    func f()",
                "*Tea* is hot", [1]
            ),
            (
                "@Suite(\"Tea\", .serialized)\nstruct A {\n}\n\nstruct B {\n    // Failure scenarios 2, 13.\n    @Test func `is cold`()",
                "*B*: is cold", [2, 13]
            ),
            (
                "@Suite(\"A \\\"cup\\\"\") struct A {\n    // Failure scenario 3.\n    @Test(arguments: [\"x\"]) func breaksAtOnce()",
                "*A \"cup\"* breaks at once", [3]
            ),
        ] as [(String, String, [Int])])
    func names(source: String, name: String, numbers: [Int]) throws {
        let tests = try MarkedTest.all(in: source, of: "A.swift")
        #expect(tests.map(\.name) == [name] && tests.map(\.numbers) == [numbers])
        #expect(tests.map(\.isConditional) == [name.hasSuffix("is hot")])
    }

    @Test(
        "refuses a mark that no test stands below, or without a number",
        arguments: [
            "// Failure scenario 1.\n\n@Test", "// Failure scenario.\n@Test", "// Failure scenario 1, x.\n@Test",
        ])
    func stray(source: String) {
        #expect(throws: MarkedTest.StrayMark.self) { try MarkedTest.all(in: source, of: "A.swift") }
    }

    private static func text(_ tests: [MarkedTest]) -> String {
        var text = """
            # Failure scenarios

            Written by `docs/record` from the names of the tests: what goes wrong where money is taken, what must follow, and the tests that prove it.
            A comment above a test, as in `// Failure scenario 12.`, names what it proves. `make test` runs them all; the sentences stand in
            `Tests/DocumentationTests/Scenarios/FailureScenario.swift`. *Waits* says what no test proves yet.

            | | scenario | proved by |
            |---:|---|---|

            """
        for scenario in FailureScenario.all {
            let own = tests.filter { $0.numbers.contains(scenario.number) }.map(\.name)
            let waits = scenario.waits.map { "*Waits: \($0).*" }
            let proofs = (own + (waits.map { [$0] } ?? [])).map { $0.replacing("|", with: "\\|") }
            text += "| \(scenario.number) | \(scenario.sentence) | \(proofs.joined(separator: "<br>")) |\n"
        }
        return text
    }
}
