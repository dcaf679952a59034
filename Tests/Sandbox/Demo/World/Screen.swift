import Foundation
import OrchardServiceKit

/// What the demo shows while it runs: lines as they come, and one line of progress that is overwritten on a terminal.
final class Screen: Sendable {
    let isTerminal = isatty(STDOUT_FILENO) == 1
    private let isSilent: Bool
    private let start = ContinuousClock.now

    init(isSilent: Bool = false) { self.isSilent = isSilent }

    /// A line, with the seconds since the start.
    func say(_ line: String) {
        let seconds = (ContinuousClock.now - start).components.seconds
        write("\(clear)[\(String(repeating: " ", count: max(0, 3 - String(seconds).count)))\(seconds) s] \(line)\n")
    }

    /// A line or block without a time.
    func show(_ text: String) { write("\(clear)\(text)\n") }

    /// Replaces the line of progress; off a terminal it is printed now and then by the caller's own choice.
    func show(progress line: String) {
        if isTerminal { write("\r\u{1B}[2K\(line)") } else { write("      \(line)\n") }
    }

    private var clear: String { isTerminal ? "\r\u{1B}[2K" : "" }

    private func write(_ text: String) {
        guard !isSilent else { return }
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
