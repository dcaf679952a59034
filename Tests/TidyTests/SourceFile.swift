import TestSupport

/// A Swift file of the checkout.
struct SourceFile: Sendable {
    /// Relative to the checkout.
    let path: String
    let lines: [Substring]

    /// Its name without folder and `.swift`.
    var name: Substring { path.split(separator: "/").last?.dropLast(6) ?? "" }
    var text: String { lines.joined(separator: "\n") }

    /// The lines without comments. Texts in quotes stay.
    var code: String {
        lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    }

    /// Services and Shared: what a merchant runs.
    static let ofProduct = all(below: ["Services", "Shared"])
    static let all = all(below: ["Services", "Shared", "Tests"])

    private static func all(below folders: [String]) -> [SourceFile] {
        ((try? Checkout.sources(below: folders)) ?? []).map {
            SourceFile(path: $0.path, lines: $0.text.split(separator: "\n", omittingEmptySubsequences: false))
        }
    }
}
