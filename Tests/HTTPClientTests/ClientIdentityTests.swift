import Foundation
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit
import SandboxPKI
import SandboxSessions
import SandboxWallet
import TestSupport
import Testing

/// Certificates of single requests, against a server that records who came on which connection.
@Suite(.timeLimit(.minutes(4))) struct ClientIdentityTests {
    private static let merchants = ["merchant.com.example.tea", "merchant.com.example.silk"]
    private static let wallet = Result { try Wallet(merchants: merchants) }

    /// Sends requests one after the other with one client, and returns what the server saw.
    private func send(_ identities: (Wallet) throws -> [ClientIdentity?]) async throws -> (
        seen: [SessionRequest], outcomes: [HTTPOutcome]
    ) {
        let wallet = try Self.wallet.get()
        let folder = try TemporaryFolder()
        try wallet.save(to: folder.url)
        let server = try SessionServer(wallet: wallet)
        var configuration = HTTPClientConfiguration()
        configuration.caFile = folder.url.appending(path: "root.cert.pem").path
        let identities = try identities(wallet)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            return try await withClient(configuration) { client in
                var outcomes: [HTTPOutcome] = []
                for identity in identities {
                    outcomes.append(
                        await client.send(
                            HTTPClientRequest(
                                method: .post, url: "https://localhost:\(server.port)/", identity: identity)))
                }
                return (server.requests, outcomes)
            }
        }
    }

    private func identity(_ wallet: Wallet, _ index: Int) throws -> ClientIdentity {
        let identity = wallet.merchants[index].identity
        return ClientIdentity(
            certificate: try X509Certificate(pem: identity.certificate.pem),
            privateKeyPEM: SecretBytes(copying: try identity.key.pem.utf8))
    }

    @Test func eachRequestShowsItsOwnCertificateAndConnectionsAreNotShared() async throws {
        let run = try await send { wallet in
            let pair = [try identity(wallet, 0), try identity(wallet, 1)]
            return [pair[0], pair[1], pair[0], pair[1], try identity(wallet, 0)]
        }
        #expect(run.outcomes.allSatisfy { $0.response?.status.code == 404 }, "\(run.outcomes)")
        let (tea, silk) = (Self.merchants[0], Self.merchants[1])
        #expect(run.seen.map(\.client) == [tea, silk, tea, silk, tea])
        // An identity's own connection is used again, also by an equal identity that was read anew.
        #expect(run.seen.map(\.connection) == [1, 2, 1, 2, 1])
    }

    @Test func aRequestWithoutIdentityGetsNoConnectionOfOneThatHasIt() async throws {
        let run = try await send { [try identity($0, 0), nil] }
        #expect(run.seen.map(\.client) == [Self.merchants[0]])
        #expect(run.outcomes.last?.answer == nil, "\(run.outcomes)")
    }

    @Test func aKeyOfAnotherCertificateSendsNothing() async throws {
        let run = try await send { wallet in
            let (tea, silk) = (wallet.merchants[0].identity, wallet.merchants[1].identity)
            return [
                ClientIdentity(
                    certificate: try X509Certificate(pem: tea.certificate.pem),
                    privateKeyPEM: SecretBytes(copying: try silk.key.pem.utf8))
            ]
        }
        #expect(run.outcomes.map(\.report) == ["notSent"])
        #expect(run.seen.isEmpty)
    }
}
