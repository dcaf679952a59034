import COrchardLinux

/// Random numbers for identifiers that are not secret, such as those of traces. The kernel is called for many at a
/// time: a call for each would cost a request more than its routing.
enum RandomNumbers {
    private static let count = 384
    private static let waiting = Locked<[UInt64]>([])

    /// Numbers that are not zero.
    static func three() -> (UInt64, UInt64, UInt64) {
        waiting.withLock { waiting in
            if waiting.count < 3 { waiting = next() }
            return (next(&waiting), next(&waiting), next(&waiting))
        }
    }

    private static func next(_ waiting: inout [UInt64]) -> UInt64 {
        waiting.popLast() ?? UInt64.random(in: 1...UInt64.max)
    }

    /// Empty when the kernel gives none, or fewer because a signal came (getrandom(2)).
    private static func next() -> [UInt64] {
        // Unsafe: the system call writes into the array's memory, never more bytes than it has.
        let numbers = [UInt64](unsafeUninitializedCapacity: count) { buffer, given in
            let bytes = orchard_random(buffer.baseAddress, UInt(count * 8))
            given = bytes == count * 8 ? count : 0
        }
        return numbers.filter { $0 != 0 }
    }
}
