import Foundation
import Testing

@testable import OrchardServiceKit

@Suite("The memory of a process")
struct ProcessMemoryTests {
    @Test("is returned to the system with large buffers, even with small blocks between them")
    func largeBuffers() async {
        await #expect(processExitsWith: .success) {
            /// Resident pages.
            func resident() -> Int {
                let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
                return text.flatMap { Int($0[1]) } ?? 0
            }
            ProcessMemory.returnLargeBuffers()
            // glibc raises its threshold at the first such buffer that is freed.
            free(malloc(4 << 20))
            let before = resident()
            var large: [UnsafeMutableRawPointer?] = []
            for _ in 0..<64 {
                large.append(malloc(1 << 20))
                if let buffer = large.last ?? nil { memset(buffer, 1, 1 << 20) }
                // Small, and never freed.
                if let block = malloc(1_000) { memset(block, 1, 1_000) }
            }
            let between = resident()
            for buffer in large { free(buffer) }
            exit(between - before > 15_000 && resident() - before < 2_000 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}
