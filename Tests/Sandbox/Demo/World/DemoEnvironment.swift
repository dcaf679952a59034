import Foundation
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit
import SandboxDatabase
import SandboxWallet

/// Everything that the demo runs: broker, database, acquirer and two processes of each service.
struct DemoEnvironment: Sendable {
    let workspace: Workspace
    let kafka: DemoKafka
    let cluster: PrivateCluster
    let wallet: any TokenSource
    let acquirer: DemoProcess
    let acquirerAddress: String
    /// The proxy before the acquirer, when services are killed.
    let gate: Gate?
    let ingests: [Worker]
    let gateways: [Worker]
    let ledgers: [Worker]
    /// The folder of the built programs.
    let programs: URL
    /// Settings of the first order-ledger, for its commands.
    let ledgerEnvironment: [String: String]

    var services: [Worker] { ingests + gateways + ledgers }

    /// libpq's connection string of the superuser for one of the run's databases.
    func superuser(_ database: String) -> String {
        cluster.connectionString.replacing("dbname=postgres", with: "dbname=\(database)")
    }

    /// Stops everything: the services first, gracefully.
    func stop(_ screen: Screen) async {
        for worker in ingests + ledgers + gateways {
            if let status = await worker.process.terminate(), status != 0 {
                screen.say("\(worker.name) ended with status \(status); its log is \(worker.process.log.path)")
            }
        }
        await acquirer.terminate()
        await kafka.end(screen)
        await cluster.stop()
    }
}
