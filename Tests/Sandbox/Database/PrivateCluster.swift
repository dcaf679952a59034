import Foundation
import OrchardPostgres
import OrchardServiceKit

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
    public let processID: Int32
    private let directory: ClusterDirectory
    private let exit: AsyncStream<Never>

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
            let (exit, exited) = AsyncStream<Never>.makeStream()
            let processID = try await withCheckedThrowingContinuation { started in
                // The thread that starts the server waits for its end: the server gets a signal when the thread ends.
                Thread.detachNewThread {
                    serve(directory, programs, account, primary?.host, isDurable, started)
                    exited.finish()
                }
            }
            let cluster = PrivateCluster(directory, processID, exit)
            try await cluster.waitUntilReady()
            return cluster
        } catch {
            directory.remove()
            throw error
        }
    }

    private init(_ directory: ClusterDirectory, _ processID: Int32, _ exit: AsyncStream<Never>) {
        self.directory = directory
        self.processID = processID
        self.exit = exit
    }

    /// Stops the server and removes its folder.
    public func stop() async {
        kill(processID, SIGINT)
        for await _ in exit {}
        directory.remove()
    }

    private static func serve(
        _ directory: ClusterDirectory, _ programs: PostgresPrograms, _ account: ServerAccount, _ primary: String?,
        _ isDurable: Bool, _ started: CheckedContinuation<Int32, any Error>
    ) {
        let server: Process
        do {
            try Data().write(to: directory.log)
            let log = try FileHandle(forWritingTo: directory.log)
            let making =
                primary.map { host in
                    account.command(
                        programs.basebackup,
                        [
                            "-D", directory.data.path, "-h", host, "-p", "5432", "-U", "postgres",
                            "--write-recovery-conf",
                            "--wal-method=stream", "--checkpoint=fast", "--no-sync",
                        ])
                }
                ?? account.command(
                    programs.initdb,
                    [
                        "-D", directory.data.path, "-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C",
                        "--no-sync",
                    ])
            making.standardOutput = log
            making.standardError = log
            try making.run()
            making.waitUntilExit()
            guard making.terminationStatus == 0 else {
                let text = (try? String(contentsOf: directory.log, encoding: .utf8)) ?? ""
                throw DatabaseServerError("the cluster's data could not be made:\n\(text)")
            }
            let settings =
                [
                    "listen_addresses=", "unix_socket_directories=\(directory.path.path)", "port=5432",
                    "max_connections=300",
                    "shared_buffers=\(isDurable ? "256MB" : "64MB")",
                ] + (isDurable ? [] : ["fsync=off", "full_page_writes=off", "orchard.throw_away=on"])
            server = account.command(
                programs.postgres, ["-D", directory.data.path] + settings.flatMap { ["-c", $0] })
            server.standardOutput = log
            server.standardError = log
            try server.run()
        } catch {
            return started.resume(throwing: error)
        }
        started.resume(returning: server.processIdentifier)
        server.waitUntilExit()
    }

    private func waitUntilReady() async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            do {
                let connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: connectionString))
                return await connection.close()
            } catch  where error.code != .cancelled && ContinuousClock.now < deadline && kill(processID, 0) == 0 {
                try await Task.sleep(for: .milliseconds(50))
            } catch {
                await stop()
                throw DatabaseServerError("PostgreSQL does not answer: \(error.reason)")
            }
        }
    }
}
