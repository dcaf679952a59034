import Foundation

/// A process by its number and start time, so that a later one with the same number is not mistaken for it.
struct ProcessIdentity: LosslessStringConvertible {
    private let pid: pid_t
    private let start: String

    static var current: Self { Self(pid: getpid(), start: startTime(of: getpid()) ?? "") }

    private init(pid: pid_t, start: String) {
        self.pid = pid
        self.start = start
    }

    init?(_ description: String) {
        let parts = description.split(separator: " ")
        guard parts.count == 2, let pid = pid_t(parts[0]) else { return nil }
        self.init(pid: pid, start: String(parts[1]))
    }

    var description: String { "\(pid) \(start)" }

    var isAlive: Bool { Self.startTime(of: pid) == start }

    /// Field 22 of /proc/PID/stat; the name before it may hold blanks and brackets.
    private static func startTime(of pid: pid_t) -> String? {
        guard let stat = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return nil }
        let fields = stat[end...].split(separator: " ")
        return fields.count > 20 ? String(fields[20]) : nil
    }
}
