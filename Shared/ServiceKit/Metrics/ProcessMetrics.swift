import Foundation

/// The standard process metrics of Prometheus' clients, read at each exposition: CPU, memory, descriptors, start time;
/// and the version of the build.
enum ProcessMetrics {
    /// - Parameter service: the program's name, for `build_info`.
    static func register(in registry: MetricsRegistry, service: String) {
        registry.gauge(
            "build_info", help: "Always 1; the labels tell which build runs.",
            labels: [("service", service), ("version", Build.version)]
        ).set(1)
        registry.gauge("process_start_time_seconds", help: "When the process started, in seconds since 1970.")
            .set(Date().timeIntervalSince1970.rounded(.down))
        registry.counter(
            "process_cpu_seconds", help: "CPU time of user and system.", reading: cpuSeconds)
        registry.gauge("process_resident_memory_bytes", help: "Memory in RAM.", reading: residentMemory)
        registry.gauge("process_open_fds", help: "Open file descriptors.", reading: openDescriptors)
        registry.gauge("process_max_fds", help: "The limit of open file descriptors.", reading: maximumDescriptors)
    }

    @Sendable private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The second number of /proc/self/statm counts pages.
    @Sendable private static func residentMemory() -> Double {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
        else { return .nan }
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    @Sendable private static func openDescriptors() -> Double {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") else { return .nan }
        // One of them was opened to read this directory.
        return Double(max(names.count - 1, 0))
    }

    @Sendable private static func maximumDescriptors() -> Double {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .nan }
        return Double(limit.rlim_cur)
    }
}
