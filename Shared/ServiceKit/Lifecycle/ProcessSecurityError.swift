import COrchardLinux
import Glibc

/// The protection that could not be set, and why.
public struct ProcessSecurityError: Error, CustomStringConvertible {
    public let reason: String
    public var description: String { reason }
}

/// Keeps the memory of this process out of files and other processes: for programs that hold card data.
///
/// No core dump (`RLIMIT_CORE` 0), not dumpable (`PR_SET_DUMPABLE` 0: no ptrace, no `/proc/PID/mem` for the same user)
/// and no backtrace by Swift's crash handler, which prints registers and the memory they point to. That handler is
/// installed from the environment before `main`, so a `setenv` would come too late: its signals get the kernel's
/// default action again. Call it first in `main`, before anything secret is read.
///
/// - Throws: ``ProcessSecurityError`` when the kernel refuses; then the program must not continue.
public func secureProcess() throws(ProcessSecurityError) {
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    guard setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 else {
        throw ProcessSecurityError(reason: "core dumps could not be forbidden (RLIMIT_CORE): errno \(errno)")
    }
    guard orchard_set_dumpable(0) == 0 else {
        throw ProcessSecurityError(reason: "PR_SET_DUMPABLE was refused: errno \(errno)")
    }
    for number in [SIGQUIT, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP] {
        signal(number, SIG_DFL)
    }
    setenv("SWIFT_BACKTRACE", "enable=no", 1)  // for child processes
}
