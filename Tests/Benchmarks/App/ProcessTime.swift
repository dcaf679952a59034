import Foundation

/// The CPU time of processes, as counted by the kernel.
enum ProcessTime {
    /// The CPU time of a process and its children, ended ones included.
    static func seconds(of process: Int32) -> Double {
        children(of: process).reduce(own(process)) { $0 + seconds(of: $1) }
    }

    /// The most memory that a process has used, in MiB; 0 when the process has ended.
    static func peakMemory(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0) / 1_024
    }

    /// The CPU time of the ended children of this process, with their own children.
    static func ofEndedChildren() -> Double {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// User and system time of the process and of its ended children: fields 14 to 17 of /proc/PID/stat. The name
    /// before them may contain blanks and brackets.
    private static func own(_ process: Int32) -> Double {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = stat.lastIndex(of: ")")
        else { return 0 }
        let fields = stat[end...].split(separator: " ").dropFirst()
        let ticks = fields.dropFirst(11).prefix(4).compactMap { Double($0) }.reduce(0, +)
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func children(of process: Int32) -> [Int32] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(task)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { Int32($0) }
        }
    }
}
