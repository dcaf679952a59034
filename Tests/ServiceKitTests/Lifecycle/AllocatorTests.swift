import COrchardAllocator
import Foundation
import Testing

@Suite("The memory of a process")
struct AllocatorTests {
    @Test("is returned to the system with large buffers, even with small blocks between them")
    func largeBuffers() async {
        await #expect(processExitsWith: .success) {
            /// Resident pages.
            func resident() -> Int {
                let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
                return text.flatMap { Int($0[1]) } ?? 0
            }
            let before = resident()
            var large: [UnsafeMutableRawPointer?] = []
            for _ in 0..<64 {
                large.append(malloc(1 << 20))
                if let buffer = large.last ?? nil { memset(buffer, 1, 1 << 20) }
                // Small, and never freed.
                if let block = malloc(1_000) { memset(block, 1, 1_000) }
            }
            guard resident() - before > 15_000 else { exit(EXIT_FAILURE) }
            for buffer in large { free(buffer) }
            // The process rests; a thread of the allocator's own returns them.
            let end = ContinuousClock.now + .seconds(60)
            while resident() - before >= 2_000, ContinuousClock.now < end { usleep(100_000) }
            exit(resident() - before < 2_000 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
