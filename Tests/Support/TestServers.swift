import Foundation
import OrchardPostgres

/// The servers that `Tests/Servers/run` started for the tests.
public enum TestServers {
    /// The tests were started without their servers.
    public struct Missing: Error, CustomStringConvertible {
        let variable: String
        public var description: String {
            "\(variable) is not set: run `make test`, or `Tests/Servers/run swift test --filter …`"
        }
    }

    /// The superuser of the private PostgreSQL cluster.
    public static func postgres() throws(Missing) -> PostgresConfiguration {
        var configuration = PostgresConfiguration(
            connectionString: try value(of: "ORCHARD_TEST_POSTGRES"), applicationName: "tests")
        configuration.poolSize = 4
        return configuration
    }

    /// The bootstrap address of a broker.
    public static func kafka() throws(Missing) -> String { try value(of: "ORCHARD_TEST_KAFKA") }

    private static func value(of variable: String) throws(Missing) -> String {
        guard let value = ProcessInfo.processInfo.environment[variable], !value.isEmpty else {
            throw Missing(variable: variable)
        }
        return value
    }
}
