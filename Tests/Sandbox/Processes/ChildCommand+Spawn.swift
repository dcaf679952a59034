import CProcesses
import Foundation

extension ChildCommand {
    /// Starts the program with these streams and no other open file, with no signal blocked or ignored.
    func spawn(_ streams: ChildStreams) throws(ChildProcessError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
        defer {
            (words + variables).forEach { free($0) }
            posix_spawnattr_destroy(&attributes)
            posix_spawn_file_actions_destroy(&actions)
        }
        for (number, stream) in [streams.input, streams.output, streams.errors].enumerated() {
            if let stream { posix_spawn_file_actions_adddup2(&actions, stream.number, Int32(number)) }
        }
        // Also what another thread opens at this moment: a child that lives on would keep a pipe or a socket open.
        orchard_spawn_close_from(&actions, 3)
        if let directory { orchard_spawn_change_directory(&actions, directory.path) }
        // The pool's threads block all signals, and a child inherits that.
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (isInForeground ? 0 : POSIX_SPAWN_SETPGROUP)
        posix_spawnattr_setflags(&attributes, Int16(flags))
        // A path counts from here, not from the child's directory.
        let file = program.contains("/") ? URL(filePath: program).absoluteURL.path : program
        var process: pid_t = 0
        let code = posix_spawnp(&process, file, &actions, &attributes, words, variables)
        guard code == 0 else { throw ChildProcessError("\(program) does not start", code: code) }
        return process
    }
}
