import Foundation
import SandboxProcesses

/// The user the server runs as: PostgreSQL refuses root, so under root it runs as `postgres` or `nobody`.
struct ServerAccount {
    /// nil: the caller's own account.
    private let lent: (user: uid_t, group: gid_t)?

    init() throws(DatabaseServerError) {
        guard geteuid() == 0 else {
            lent = nil
            return
        }
        guard let entry = getpwnam("postgres") ?? getpwnam("nobody") else {
            throw DatabaseServerError("PostgreSQL does not run as root, and there is no user postgres or nobody")
        }
        lent = (entry.pointee.pw_uid, entry.pointee.pw_gid)
    }

    /// Makes the account the owner of `directory`.
    func own(_ directory: URL) throws(DatabaseServerError) {
        guard let lent else { return }
        guard chown(directory.path, lent.user, lent.group) == 0 else {
            throw DatabaseServerError("cannot give \(directory.path) to user \(lent.user)")
        }
    }

    /// Whether the account can use a folder inside `directory`.
    func canAccess(_ directory: URL) -> Bool {
        (try? ProgramRun(command(URL(filePath: "/usr/bin/test"), ["-x", directory.path])))?.status == 0
    }

    /// A program under the account. It gets SIGINT (a fast shutdown for PostgreSQL) when the thread that starts it
    /// ends, so that nothing survives a crash of this process.
    ///
    /// - Parameter log: where its output goes.
    func command(_ program: URL, _ arguments: [String], log: URL? = nil) -> ChildCommand {
        let identity = lent.map { ["--reuid=\($0.user)", "--regid=\($0.group)", "--clear-groups"] } ?? []
        let stream = log.map { ChildCommand.Stream.file($0) } ?? .null
        return ChildCommand(
            "setpriv", ["--pdeathsig=INT"] + identity + ["--", program.path] + arguments, in: URL(filePath: "/"),
            output: stream, errors: stream)
    }
}
