import CYardstick
import Foundation

/// The machine of the figures.
enum Machine {
    /// Its kind and its speed at the beginning of the run: to be read while nothing else runs.
    static var description: String {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        let model =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ":").last.map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        let rsa = Double(yardstick_charge(200)) / 200 / 1e6
        return "\(processors) cores of \(model ?? "an unknown kind"), "
            + "\(ProcessInfo.processInfo.physicalMemory >> 30) GiB; "
            + String(format: "%.2f ms for the RSA of a charge (0.65 where its bound was set)", rsa)
    }
}
