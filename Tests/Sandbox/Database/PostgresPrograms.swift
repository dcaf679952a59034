import Foundation

/// The folder of PostgreSQL's server programs: the one that `PG_BIN` names, otherwise the newest of Debian's.
struct PostgresPrograms {
    let folder: URL

    var initdb: URL { folder.appending(path: "initdb") }
    var basebackup: URL { folder.appending(path: "pg_basebackup") }
    var dump: URL { folder.appending(path: "pg_dump") }
    var psql: URL { folder.appending(path: "psql") }
    var postgres: URL { folder.appending(path: "postgres") }

    init(environment: [String: String]) throws(DatabaseServerError) {
        let debian = URL(filePath: "/usr/lib/postgresql")
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: debian.path)) ?? [])
            .compactMap { Int($0) }.sorted(by: >)
        let folders =
            environment["PG_BIN"].map { [URL(filePath: $0)] } ?? versions.map { debian.appending(path: "\($0)/bin") }
        let found = folders.first {
            FileManager.default.isExecutableFile(atPath: $0.appending(path: "initdb").path)
        }
        guard let found else {
            throw DatabaseServerError(
                "no PostgreSQL server found: apt-get install postgresql, or set PG_BIN to the folder of initdb")
        }
        folder = found
    }
}
