import Foundation
import TestSupport

/// A test that proves failure scenarios: a comment above it says which.
struct MarkedTest: Sendable {
    let numbers: [Int]
    /// Its suite and title, as a sentence where they are one.
    let name: String
    /// Whether it runs only where something is there.
    let isConditional: Bool

    /// A mark that no test stands below, or that cannot be read: its place.
    struct StrayMark: Error, CustomStringConvertible {
        let description: String
    }

    /// The marked tests of the checkout, by file and line.
    static func all() throws -> [MarkedTest] {
        try Checkout.sources(below: ["Tests"]).flatMap { path, text in
            // This folder speaks of marks.
            path.hasPrefix("Tests/DocumentationTests/Scenarios/") ? [] : try all(in: text, of: path)
        }
    }

    static func all(in text: String, of path: String) throws -> [MarkedTest] {
        try text.matches(of: #/(?m)^.*Failure scenario.*\n/#).map { match in
            guard let mark = match.output.wholeMatch(of: #/ *\/\/ Failure scenarios? (\d+(?:, \d+)*)\.\n/#),
                let test = text[match.range.upperBound...].prefixMatch(of: #/ *@Test\b/#)
            else { throw StrayMark(description: "\(path): \(match.output)") }
            let suite = suite(in: text[..<match.range.lowerBound])
            let (title, attribute) = title(after: text[test.range.upperBound...])
            // "Commands" and "that come again …" are one sentence.
            let isOneSentence = suite.isTitle && title.first?.isUppercase == false
            return MarkedTest(
                numbers: mark.output.1.split(separator: ", ").compactMap { Int($0) },
                name: "*\(suite.name)*\(isOneSentence ? "" : ":") \(title)",
                isConditional: attribute.contains(".enabled(")
            )
        }
    }

    /// The title of the suite that the text ends in, or the name of its type.
    private static func suite(in text: Substring) -> (name: String, isTitle: Bool) {
        let types = text.matches(of: #/(?m)^(?:@Suite\b.*\) )?(?:final )?(?:struct|class|actor) (\w+)/#)
        guard let type = types.last else { return ("", false) }
        let before = text[..<type.range.upperBound]
        let start = before.ranges(of: "\n}\n").last?.upperBound ?? before.startIndex
        let titled = before[start...].firstMatch(of: #/(?m)^@Suite\(\s*"((?:[^"\\]|\\.)*)"/#)
        return (unescaped(titled?.output.1 ?? type.output.1), titled != nil)
    }

    /// The title of the test, or the name of its function, and the whole attribute.
    private static func title(after text: Substring) -> (title: String, attribute: Substring) {
        let function = text.firstMatch(of: #/\bfunc (?:`([^`]+)`|(\w+))/#)
        let attribute = text[..<(function?.range.lowerBound ?? text.endIndex)]
        let titled = attribute.prefixMatch(of: #/\(\s*"((?:[^"\\]|\\.)*)"/#)
        let title = (titled?.output.1 ?? function?.output.1).map(unescaped)
        return (title ?? words(function?.output.2 ?? ""), attribute)
    }

    private static func unescaped(_ literal: Substring) -> String { String(literal).replacing("\\\"", with: "\"") }

    /// `chargesNobodyTwice` in words.
    private static func words(_ name: Substring) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : "\($1)" }
    }
}
