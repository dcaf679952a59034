import Foundation
import OrchardServiceKit

/// The pipe to a child's standard input.
final class ChildInput: Sendable {
    private let pipe: Locked<Descriptor?>

    init(_ pipe: Descriptor) { self.pipe = Locked(pipe) }

    /// Tells the child that nothing more comes.
    func close() { pipe.withLock { $0 = nil } }

    /// Waits on the calling thread while the child reads nothing and the pipe is full.
    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(ChildProcessError) {
        guard let pipe = pipe.withLock({ $0 }) else { throw ChildProcessError("the child's input is closed") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let (count, code) = Self.write(rest, to: pipe.number)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if code == EAGAIN {
                let left = deadline - .now
                guard left > .zero else { throw ChildProcessError("the child reads nothing") }
                var polls = pollfd(fd: pipe.number, events: Int16(POLLOUT), revents: 0)
                poll(&polls, 1, Int32(clamping: Int64(left / .milliseconds(1)) + 1))
            } else if code != EINTR {
                throw ChildProcessError("writing to the child", code: code)
            }
        }
    }

    /// Writes without the signal for a pipe that nobody reads, which would end this process.
    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> (count: Int, code: Int32) {
        var (brokenPipe, before, none) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&brokenPipe)
        sigaddset(&brokenPipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &brokenPipe, &before)
        let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        let code = errno
        if count < 0, code == EPIPE { sigtimedwait(&brokenPipe, nil, &none) }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return (count, code)
    }
}
