import Foundation

/// The folder of one private cluster: data, socket and log. It is in `.run/` if the server's user can reach that,
/// otherwise under /var/tmp with a link in `.run/`.
struct ClusterDirectory {
    /// The folder itself.
    let path: URL
    /// Its place in `.run/`: the folder or the link to it.
    private let record: URL

    var data: URL { path.appending(path: "data") }
    var log: URL { path.appending(path: "log") }
    private var owner: URL { path.appending(path: "owner") }

    /// A UNIX socket's address holds 107 bytes.
    private static let longestPath = 80

    init(in run: URL, for account: ServerAccount) throws {
        let name = "postgres-\(UInt32.random(in: 0...0xffff_ffff))"
        try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
        record = run.appending(path: name).absoluteURL
        if account.canAccess(run.absoluteURL), record.path.utf8.count < Self.longestPath {
            path = record
        } else {
            path = URL(filePath: "/var/tmp/orchard-\(name)")
            try FileManager.default.createSymbolicLink(at: record, withDestinationURL: path)
        }
        try FileManager.default.createDirectory(
            at: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try account.own(path)
        try Data(ProcessIdentity.current.description.utf8).write(to: owner)
    }

    private init(record: URL) {
        self.record = record
        path = record.resolvingSymlinksInPath()
    }

    func remove() {
        try? FileManager.default.removeItem(at: path)
        try? FileManager.default.removeItem(at: record)
    }

    /// Stops and removes what crashed runs left in `.run/`.
    static func removeStale(in run: URL) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: run.path)) ?? []
        for name in names where name.hasPrefix("postgres-") {
            let directory = ClusterDirectory(record: run.appending(path: name).absoluteURL)
            let owner = (try? String(contentsOf: directory.owner, encoding: .utf8)).flatMap(ProcessIdentity.init)
            guard let owner, !owner.isAlive else { continue }
            directory.killServer()
            directory.remove()
        }
    }

    /// Kills the server of this folder if it runs: the recorded process must have this folder on its command line.
    private func killServer() {
        let file = data.appending(path: "postmaster.pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), pid > 1,
            let arguments = try? Data(contentsOf: URL(filePath: "/proc/\(pid)/cmdline")),
            String(decoding: arguments, as: UTF8.self).split(separator: "\0").contains(Substring(data.path))
        else { return }
        kill(pid, SIGQUIT)
    }
}
