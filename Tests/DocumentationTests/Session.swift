import Foundation
import OrchardJSON
import OrchardServiceKit
import SandboxProcesses
import TestSupport

/// The commands of a page, run one after the other by one shell in an empty folder, and compared with the page.
///
/// - A block `console` has commands after `$ ` (continued by a backslash or after `> `), each with its output. `…`
///   stands for any text.
/// - A block `json NAME` is written to that file, or compared with the file when a command before made it. The text
///   `"…"` stands for any text or object. A block `python NAME` is written.
struct Session {
    /// A step of the page.
    private enum Step {
        case command(String, output: [String], line: Int)
        case written(file: String, text: String)
        case shown(file: String, text: String, line: Int)
    }

    /// A difference from the page.
    struct Difference: CustomStringConvertible {
        let line: Int
        let description: String
    }

    private var steps: [Step] = []
    private static let mark = "\u{1E}"

    /// - Parameters:
    ///   - replacing: addresses and names on the page, and their values here.
    ///   - files: what the page takes from other pages, by its name there.
    ///   - isSkipped: commands that cannot run here.
    init(
        _ document: Document, replacing: [(String, String)] = [], files: [String: String] = [:],
        isSkipped: (String) -> Bool = { _ in false }
    ) {
        func here(_ text: String) -> String { replacing.reduce(text) { $0.replacing($1.0, with: $1.1) } }
        steps = files.map { .written(file: $0.key, text: $0.value) }
        for block in document.blocks {
            if let file = block.file {
                let isMade = steps.contains { step in
                    if case .command(let command, _, _) = step { command.contains("> \(file)") } else { false }
                }
                steps.append(
                    isMade
                        ? .shown(file: file, text: here(block.text), line: block.line)
                        : .written(file: file, text: here(block.text)))
            } else if block.isSession {
                for step in Self.commands(block) where !isSkipped(step.command) {
                    steps.append(
                        .command(here(step.command), output: step.output.map(here), line: step.line))
                }
            }
        }
    }

    private static func commands(_ block: CodeBlock) -> [(command: String, output: [String], line: Int)] {
        var found: [(command: String, output: [String], line: Int)] = []
        for (index, line) in block.lines.enumerated() {
            if line.hasPrefix("$ ") {
                found.append((String(line.dropFirst(2)), [], block.line + index))
            } else if let last = found.last, last.output.isEmpty, last.command.hasSuffix("\\") || line.hasPrefix("> ") {
                found[found.count - 1].command += "\n" + (line.hasPrefix("> ") ? String(line.dropFirst(2)) : line)
            } else if !found.isEmpty {
                found[found.count - 1].output.append(line)
            }
        }
        return found
    }

    /// Runs everything and ends everything that was started.
    func differences(environment: [String: String] = [:]) async throws -> [Difference] {
        let folder = try TemporaryFolder()
        let script = try folder.write("session.sh", script)
        let output = try await Self.run(script, in: folder.url, environment)
        let pieces = output.split(separator: Self.mark, omittingEmptySubsequences: false).dropFirst().map(String.init)
        return steps.enumerated().compactMap { number, step in
            switch step {
            case .written: return nil
            case .command(let command, let expected, let line):
                guard number < pieces.count else {
                    return Difference(line: line, description: "not reached: \(command)")
                }
                let expected = Self.trimmed(expected.joined(separator: "\n"))
                let found = Self.trimmed(pieces[number])
                guard !Self.matches(found, expected) else { return nil }
                return Difference(
                    line: line, description: "line \(line): $ \(command)\nprints\n\(found)\nnot\n\(expected)")
            case .shown(let file, let text, let line):
                let expected = try? JSONValue(parsing: Array(text.utf8))
                let found = try? JSONValue(
                    parsing: Array(Data(contentsOf: folder.url.appending(path: "shown-\(number)"))))
                if let expected, let found, Self.matches(found, expected) { return nil }
                return Difference(
                    line: line, description: "line \(line): \(file) is \(found.map { "\($0)" } ?? "no JSON")")
            }
        }
    }

    /// Each step prints one piece of output after a mark.
    private var script: String {
        var lines = ["exec 2>&1", "trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT"]
        for (number, step) in steps.enumerated() {
            lines.append("printf '\\036'")
            switch step {
            case .command(let command, _, _): lines.append(command)
            case .written(let file, let text): lines.append("cat > '\(file)' <<'END OF FILE'\n\(text)END OF FILE")
            case .shown(let file, _, _): lines.append("cp '\(file)' shown-\(number)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func run(
        _ script: String, in folder: URL, _ environment: [String: String]
    ) async throws -> String {
        try await ProgramRun.outside(
            "timeout", ["--kill-after=10", "180", "bash", script], in: folder,
            environment: environment.merging(["PATH": try Programs.path, "HOME": folder.path, "LANG": "C.UTF-8"]) {
                own, _ in own
            }
        ).output
    }

    private static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Whether the text matches, part by part between the ellipses.
    static func matches(_ text: String, _ expected: String) -> Bool {
        let parts = expected.split(separator: "…", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text == expected }
        guard text.hasPrefix(parts[0]) else { return false }
        var rest = text.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(parts[parts.count - 1])
    }

    /// Whether the value has the expected members and elements.
    static func matches(_ value: JSONValue, _ expected: JSONValue) -> Bool {
        if case .string("…") = expected { return value.string != nil || value.members != nil }
        if let expected = expected.members {
            guard let members = value.members, members.count == expected.count else { return false }
            return expected.allSatisfy { member in value[member.name].map { matches($0, member.value) } ?? false }
        }
        if let expected = expected.array {
            guard let array = value.array, array.count == expected.count else { return false }
            return zip(array, expected).allSatisfy { matches($0, $1) }
        }
        return value == expected
    }
}
