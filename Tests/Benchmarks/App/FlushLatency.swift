import Foundation

/// How long the disk takes to make a page durable: every durable figure depends on it.
struct FlushLatency: Sendable, CustomStringConvertible {
    private static let rounds = 200

    /// In milliseconds.
    let median: Double

    init(in folder: URL) throws {
        let file = folder.appending(path: "flush")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(count: 8_192).write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let page = Data(repeating: 1, count: 8_192)
        var times: [Double] = []
        for _ in 0..<Self.rounds {
            let begun = ContinuousClock.now
            try handle.seek(toOffset: 0)
            try handle.write(contentsOf: page)
            guard fdatasync(handle.fileDescriptor) == 0 else { throw BenchError("the disk does not flush") }
            times.append((ContinuousClock.now - begun) / .milliseconds(1))
        }
        median = times.sorted()[times.count / 2]
    }

    var description: String { String(format: "%.2f ms to flush a page", median) }
}
