import COrchardLinux
import Foundation
import OrchardServiceKit
import Testing

@Suite("secureProcess")
struct ProcessSecurityTests {
    @Test("forbids core dumps, reading by other processes and backtraces that print memory")
    func secured() async {
        await #expect(processExitsWith: .exitCode(0)) {
            signal(SIGILL) { _ in }
            try secureProcess()
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            var handler = sigaction()
            sigaction(SIGILL, nil, &handler)
            let isDefault = handler.__sigaction_handler.sa_handler == nil
            exit(limit.rlim_max == 0 && orchard_is_dumpable() == 0 && isDefault ? 0 : 1)
        }
    }

    @Test("a handler that was installed before main, such as Swift's backtracer, gets no crash any more")
    func crash() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            for number in [SIGILL, SIGTRAP] {
                signal(number) { _ in
                    write(STDERR_FILENO, "handler ran", 11)
                    _exit(1)
                }
            }
            try secureProcess()
            let secrets = [UInt8](repeating: 0x41, count: 16)
            _ = secrets[secrets.count + Int.random(in: 0...1)]
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("Index out of range"))
        #expect(!text.contains("handler ran"))
    }
}
