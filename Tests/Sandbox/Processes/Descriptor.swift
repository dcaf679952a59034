import CProcesses
import Foundation

/// An open file of this process, closed when it is freed. No other program inherits it.
final class Descriptor: Sendable {
    let number: Int32

    private init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    static func open(_ path: String, _ flags: Int32) throws(ChildProcessError) -> Descriptor {
        let number = Foundation.open(path, flags | O_CLOEXEC, 0o666)
        guard number >= 0 else { throw ChildProcessError(path, code: errno) }
        return Descriptor(number)
    }

    static func pipe() throws(ChildProcessError) -> (reading: Descriptor, writing: Descriptor) {
        var numbers: [Int32] = [0, 0]
        guard pipe2(&numbers, O_CLOEXEC) == 0 else { throw ChildProcessError("no pipe", code: errno) }
        return (Descriptor(numbers[0]), Descriptor(numbers[1]))
    }

    /// The end of a process, as a descriptor that can be read from then on.
    static func end(of process: pid_t) throws(ChildProcessError) -> Descriptor {
        let number = orchard_pidfd_open(process)
        guard number >= 0 else { throw ChildProcessError("the end of process \(process)", code: errno) }
        return Descriptor(number)
    }

    /// From now on no call waits.
    func becomeNonblocking() { _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
}
