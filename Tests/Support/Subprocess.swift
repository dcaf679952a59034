import Foundation
import OrchardServiceKit

/// An external program that serves a test until it is stopped.
public final class Subprocess: @unchecked Sendable {
    // @unchecked: the process is started in `init` and only signalled afterwards.
    private let process = Process()
    private let output = Pipe()

    public init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The first line that it prints, without the line end; with `wanted`, the first line that contains it.
    public func firstLine(containing wanted: String = "") async -> String {
        let result = Locked("")
        let descriptor = output.fileHandleForReading.fileDescriptor
        await runOnOwnThread(named: "subprocess") {
            var line: [UInt8] = []
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1 {
                if byte != UInt8(ascii: "\n") {
                    line.append(byte)
                } else {
                    let text = String(decoding: line, as: UTF8.self)
                    if text.contains(wanted) || wanted.isEmpty { return result.withLock { $0 = text } }
                    line = []
                }
            }
        }
        return result.withLock { $0 }
    }

    public func stop() {
        // Not SIGTERM: it may be blocked in the child, which inherits the mask of the thread that started it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
