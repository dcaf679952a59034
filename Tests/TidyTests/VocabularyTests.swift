import Foundation
import TestSupport
import Testing

/// The words are explained in docs/glossary.md.
@Suite("Names and texts", .ownThreads)
struct VocabularyTests {
    /// Words that were replaced by the field's own. They do not come back as names of types, functions and properties.
    private static let replaced = [
        "Desk", "Watch", "Patience", "Judgement", "Tally", "Bell", "Firing", "Acquiring", "Reach", "Opener", "Echo",
        "News", "Untold", "Told", "Town", "Diary", "Dice", "Turnstile", "Sorry", "Blunt", "Mishap", "Besiege",
        "KeepHouse", "BornAt", "Complaint", "Judge", "Farewell",
    ]

    @Test("hold no word of the old vocabulary")
    func replacedWords() throws {
        let pattern = try Regex(
            "\\b(?:[a-z][A-Za-z]*)?(?:\(Self.replaced.joined(separator: "|")))(?:[A-Z][A-Za-z]*)?\\b")
        let lowered = Self.replaced.map { $0.prefix(1).lowercased() + $0.dropFirst() }
        let lower = try Regex("\\b(?:\(lowered.joined(separator: "|")))(?:[A-Z][A-Za-z]*)?\\b")
        for file in SourceFile.all where !file.path.hasPrefix("Tests/TidyTests") {
            for (index, line) in file.lines.enumerated() {
                let declaration = line.firstMatch(
                    of: #/\b(?:struct|enum|class|actor|protocol|func|var|let|case|typealias)\s+`?(\w+)/#
                        .wordBoundaryKind(.simple))
                guard let name = declaration?.output.1, !line.drop(while: { $0 == " " }).hasPrefix("//") else {
                    continue
                }
                let isOld = name.wholeMatch(of: pattern) != nil || name.wholeMatch(of: lower) != nil
                #expect(!isOld, "\(file.path):\(index + 1): \(name)")
            }
        }
    }

    @Test("name event types in Contracts only")
    func eventTypes() {
        for file in SourceFile.ofProduct where !file.path.hasPrefix("Shared/Contracts/") {
            let literal = file.code.firstMatch(of: #/"orchard\.[a-z]+\.[a-zA-Z]+\.v\d+"/#)
            #expect(literal == nil, "\(file.path) spells \(literal.map { String($0.output) } ?? "")")
        }
    }

    @Test("in double backquotes name something that exists")
    func references() {
        var known: Set<Substring> = []
        for file in SourceFile.all {
            for match in file.text.matches(
                of: #/\b(?:struct|enum|class|actor|protocol|typealias|func|var|let|case|associatedtype)\s+`?(\w+)/#
                    .wordBoundaryKind(.simple))
            { known.insert(match.output.1) }
            for match in file.text.matches(of: #/\bcase [^\n:]*/#.wordBoundaryKind(.simple)) {
                for word in match.output.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) { known.insert(word) }
            }
        }
        known.formUnion(["init", "self"])
        for file in SourceFile.ofProduct {
            for match in file.text.matches(of: #/``([A-Za-z]\w*(?:[.\/]\w+)*)/#) {
                for part in match.output.1.split(whereSeparator: { $0 == "." || $0 == "/" }) {
                    let isModule = ["Contracts", "Acquirers", "Charging", "Ledger", "ServiceKit"].contains(part)
                    #expect(isModule || known.contains(part), "\(file.path): ``\(match.output.1)``")
                }
            }
        }
    }

    @Test("are written down: each public declaration has a doc comment")
    func documentation() {
        // What implements a protocol's requirement is described there.
        let requirements = Set(
            SourceFile.ofProduct.flatMap { file in
                file.text.matches(of: #/(?ms)^public protocol .*?^}/#).flatMap { match in
                    match.output.matches(of: #/func (\w+)/#).map(\.output.1)
                }
            } + ["write", "hash", "encode", "run", "next", "makeAsyncIterator"])
        for file in SourceFile.ofProduct {
            for (index, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                guard
                    text.contains(
                        #/^public (?:(?:static|final|mutating|nonisolated|private\(set\)|internal\(set\)|convenience) )*(?:struct|enum|class|actor|protocol|func)\b/#
                            .wordBoundaryKind(.simple)
                    )
                else { continue }
                var above = index - 1
                while above >= 0, file.lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
                let isDocumented = above >= 0 && file.lines[above].drop { $0 == " " }.hasPrefix("///")
                let name = text.firstMatch(of: #/func (\w+|[^\w\s(]+)/#)?.output.1
                let isKnown =
                    name.map { requirements.contains($0) || !$0.allSatisfy { $0.isLetter || $0.isNumber } } ?? false
                #expect(isDocumented || isKnown, "\(file.path):\(index + 1): \(text)")
            }
        }
    }
}
