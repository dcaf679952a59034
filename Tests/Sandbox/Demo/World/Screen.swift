import Foundation
import OrchardServiceKit

/// The demo's output while it runs: lines in sequence, and one progress line that is overwritten on a terminal.
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

    /// Replaces the progress line. Without a terminal it is printed whenever the caller calls this.
    func show(progress line: String) {
        if isTerminal { write("\r\u{1B}[2K\(line)") } else { write("      \(line)\n") }
    }

    private var clear: String { isTerminal ? "\r\u{1B}[2K" : "" }

    private func write(_ text: String) {
        guard !isSilent else { return }
        FileHandle.standardOutput.write(Data(text.utf8))
    }
}
