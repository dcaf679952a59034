import Foundation
import OrchardPostgres
import OrchardServiceKit
import SandboxProcesses

/// A private throw-away PostgreSQL server with a UNIX socket only. Debian's own cluster is not touched.
///
/// It is faster than a real one because it does not wait for the disk. It ends with this process, however that ends.
public final class PrivateCluster: Sendable {
    /// libpq's connection string of the superuser; trust authentication, since the folder belongs to the user alone.
    public var connectionString: String { "host=\(host) port=5432 user=postgres dbname=postgres" }
    /// The folder of its socket.
    public var host: String { directory.path.path }
    /// The server's log.
    public var log: URL { directory.log }
    /// The postmaster's process id.
    public var processID: Int32 { server.processID }
    private let directory: ClusterDirectory
    /// Starts the server on its data.
    let serve: @Sendable () throws -> ChildProcess
    /// The server's process; another one after ``restart()``.
    let process: Locked<ChildProcess>
    var server: ChildProcess { process.withLock { $0 } }

    /// Makes a cluster and returns when it answers.
    ///
    /// - Parameters:
    ///   - run: the folder for the files of runs, usually `.run`; clusters of crashed runs there are removed.
    ///   - environment: `PG_BIN` in it selects another PostgreSQL than the newest installed.
    ///   - primary: the cluster that it follows as a standby; nil for an independent one.
    ///   - isDurable: whether it waits for the disk, as a real one does.
    public static func start(
        in run: URL = URL(filePath: ".run"), environment: [String: String] = ProcessInfo.processInfo.environment,
        following primary: PrivateCluster? = nil, isDurable: Bool = false
    ) async throws -> PrivateCluster {
        let programs = try PostgresPrograms(environment: environment)
        let account = try ServerAccount()
        ClusterDirectory.removeStale(in: run)
        let directory = try ClusterDirectory(in: run, for: account)
        do {
            try await make(directory, programs, account, following: primary?.host)
            let cluster = try PrivateCluster(directory) { try serve(directory, programs, account, isDurable) }
            try await cluster.waitUntilReady()
            return cluster
        } catch {
            directory.remove()
            throw error
        }
    }

    private init(_ directory: ClusterDirectory, serve: @escaping @Sendable () throws -> ChildProcess) throws {
        self.directory = directory
        self.serve = serve
        process = Locked(try serve())
    }

    /// Stops the server and removes its folder.
    public func stop() async {
        // Frozen it would not end.
        thaw()
        server.signal(SIGINT)
        await server.ended()
        directory.remove()
    }

    /// Makes the data, new or as a copy of a primary's.
    private static func make(
        _ directory: ClusterDirectory, _ programs: PostgresPrograms, _ account: ServerAccount,
        following primary: String?
    ) async throws {
        let arguments =
            primary.map { host in
                [
                    "-D", directory.data.path, "-h", host, "-p", "5432", "-U", "postgres", "--write-recovery-conf",
                    "--wal-method=stream", "--checkpoint=fast", "--no-sync",
                ]
            } ?? ["-D", directory.data.path, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]
        let run = try await ProgramRun.outside(
            account.command(primary == nil ? programs.initdb : programs.basebackup, arguments))
        guard run.status == 0 else {
            throw DatabaseServerError("the cluster's data could not be made:\n\(run.output)")
        }
    }

    private static func serve(
        _ directory: ClusterDirectory, _ programs: PostgresPrograms, _ account: ServerAccount, _ isDurable: Bool
    ) throws -> ChildProcess {
        let settings =
            [
                "listen_addresses=", "unix_socket_directories=\(directory.path.path)", "port=5432",
                "max_connections=300",
            ]
            // A durable one has the settings that docs/running.md advises.
            + (isDurable
                ? ["shared_buffers=2GB", "max_wal_size=8GB"]
                : ["shared_buffers=64MB", "fsync=off", "full_page_writes=off", "orchard.throw_away=on"])
        return try ChildProcess(
            account.command(
                programs.postgres, ["-D", directory.data.path] + settings.flatMap { ["-c", $0] }, log: directory.log))
    }

    func waitUntilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: connectionString))
                return await connection.close()
            } catch  where error.code != .cancelled && ContinuousClock.now < deadline && server.status == nil {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                await stop()
                throw DatabaseServerError("PostgreSQL does not answer: \(error.reason)")
            }
        }
    }
}
