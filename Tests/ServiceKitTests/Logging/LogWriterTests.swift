import Foundation
import TestSupport
import Testing

@testable import OrchardServiceKit

@Suite("LogWriter")
struct LogWriterTests {
    private static func makePipe() -> (read: FileHandle, write: Int32) {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        return (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
    }

    @Test("writes lines in order")
    func order() throws {
        let (reader, descriptor) = Self.makePipe()
        let writer = LogWriter(descriptor: descriptor)
        let logger = LogConfiguration(level: .info, format: .json).logger(label: "test", writer: writer)
        for number in 0..<100 { logger.info("line \(number)") }
        logger.debug("not shown")
        writer.flush(atMost: .seconds(30))
        close(descriptor)
        let lines = String(decoding: try reader.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 100)
        #expect(lines.enumerated().allSatisfy { $1.contains("\"msg\":\"line \($0)\"") })
    }

    @Test("a reader that stops reading blocks no logger: debug lines are dropped first, and drops are logged")
    func slowReader() async throws {
        let (reader, descriptor) = Self.makePipe()
        let writer = LogWriter(descriptor: descriptor, capacity: 100)
        let logger = Logger(label: "test", level: .debug, handler: writer)
        // More than the pipe holds: the writer's thread now waits in write(2).
        logger.info(String(repeating: "x", count: 1 << 17))
        try await eventually { !writer.hasWaitingLines }
        for _ in 0..<80 { logger.debug("debug") }
        #expect(writer.droppedLines == 30)
        for _ in 0..<60 { logger.info("info") }
        #expect(writer.droppedLines == 40)

        let drained = Locked("")
        async let draining: Void = runOnOwnThread(named: "reader") {
            let data = (try? reader.readToEnd()) ?? Data()
            drained.withLock { $0 = String(decoding: data, as: UTF8.self) }
        }
        await runOnOwnThread(named: "flush") { writer.flush(atMost: .seconds(30)) }
        close(descriptor)
        await draining
        let lines = drained.withLock { $0 }.split(separator: "\n")
        #expect(lines.count { $0.hasSuffix("test: debug") } == 50)
        #expect(lines.count { $0.hasSuffix("test: info") } == 50)
        #expect(lines.count { $0.contains("dropped=40") } == 1)
    }
}
