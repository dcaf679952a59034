import Foundation

/// A child that was started, for the thread that follows it to its end.
struct StartedChild: Sendable {
    let process: pid_t
    private let reading: Descriptor?
    private let end: Descriptor

    init(_ command: ChildCommand, _ streams: ChildStreams) throws(ChildProcessError) {
        process = try command.spawn(streams)
        reading = streams.reading
        do throws(ChildProcessError) { end = try .end(of: process) } catch {
            kill(process, SIGKILL)
            _ = Self.reap(process)
            throw error
        }
    }

    /// Waits on the calling thread for the end, and takes down meanwhile what the child writes.
    func follow(_ record: ChildRecord) {
        var polls = [(end.number), reading?.number ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while polls[0].revents == 0 {
            guard poll(&polls, 2, -1) > 0 else { continue }
            if polls[1].revents != 0, !read(into: record) { polls[1].fd = -1 }
        }
        // What it wrote before its end is in the pipe by now.
        _ = read(into: record)
        record.end { Self.reap(process) }
    }

    /// Reads what is there.
    ///
    /// - Returns: whether more may come.
    private func read(into record: ChildRecord) -> Bool {
        guard let reading else { return false }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(reading.number, &buffer, buffer.count)
            if count > 0 { record.add(buffer[..<count]) } else if count == 0 || errno != EINTR { return count < 0 }
        }
    }

    /// The exit status as in a shell: the exit code, or 128 and the signal's number.
    private static func reap(_ process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? status >> 8 & 0xff : 128 + signal
    }
}
