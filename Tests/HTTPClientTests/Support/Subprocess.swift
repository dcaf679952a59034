import Foundation
import ServiceKit

/// Another program, ended with this value's scope.
final class Subprocess: @unchecked Sendable {
    // @unchecked: the process is started in `init` and only signalled afterwards.
    private let process = Process()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The first line that it prints.
    func firstLine() async -> [UInt8] {
        await read { $0.last == UInt8(ascii: "\n") }
    }

    /// The text until a line with these words is complete.
    func firstLine(containing words: String) async -> [UInt8] {
        await read { $0.last == UInt8(ascii: "\n") && String(decoding: $0, as: UTF8.self).contains(words) }
    }

    /// All that it prints, once it has ended.
    func outputToEnd() async -> [UInt8] {
        let bytes = await read { _ in false }
        process.waitUntilExit()
        return bytes
    }

    func stop() {
        // Not SIGTERM: it may be blocked in the child, which inherits the mask of the thread that started it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private func read(until isEnough: @escaping @Sendable ([UInt8]) -> Bool) async -> [UInt8] {
        let result = Locked<[UInt8]>([])
        let descriptor = output.fileHandleForReading.fileDescriptor
        await runOnOwnThread(named: "subprocess") {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while !isEnough(bytes), Foundation.read(descriptor, &byte, 1) == 1 { bytes.append(byte) }
            let all = bytes
            result.withLock { $0 = all }
        }
        return result.withLock { $0 }
    }
}
