import Foundation
import OrchardJSON
public import OrchardServiceKit
import SandboxPKI
public import SandboxWallet

/// Apple's server of merchant sessions, on the loopback address unless told: `POST /paymentservices/paymentSession` over TLS, for
/// merchants who show their Merchant Identity certificate.
///
/// Written from Apple's description alone. What it answers is opaque to everybody but a device (``MerchantSession``).
public final class SessionServer: Service {
    private let wallet: Wallet
    private let context: TLSContext
    private let listener: TLSListener
    private let state = Locked(State())

    private struct State {
        var requests: [SessionRequest] = []
        var fault: SessionFault?
        var connections = 0
    }

    /// - Parameters:
    ///   - wallet: the merchants that are registered, and the server's certificate, which `wallet.root` issued.
    ///   - host: the IPv4 address to listen on; 0.0.0.0 for every one.
    ///   - port: 0 for a free one.
    ///   - names: by which merchants' servers know it, besides `localhost` and 127.0.0.1.
    public init(wallet: Wallet, host: String = "127.0.0.1", port: Int = 0, names: [String] = []) throws {
        self.wallet = wallet
        context = try TLSContext(
            server: names.isEmpty ? wallet.server : wallet.server(named: names), clients: wallet.relations.certificate)
        listener = try TLSListener(host: host, port: port)
    }

    /// The port it listens on.
    public var port: Int { listener.port }

    /// How many requests are remembered.
    private static let keptRequests = 1_000

    /// What was asked last, in the order of arrival.
    public var requests: [SessionRequest] { state.withLock { $0.requests } }

    /// How many clients have connected.
    public var connections: Int { state.withLock { $0.connections } }

    /// From now on every answer is wrong in this way; nil for right ones.
    public func fail(with fault: SessionFault?) { state.withLock { $0.fault = fault } }

    public func run() async throws {
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await accept()
            } onGracefulShutdown: {
                self.listener.stop()
            }
        } onCancel: {
            self.listener.stop()
        }
    }

    private func accept() async {
        let (clients, continuation) = AsyncStream<Int32>.makeStream()
        await withDiscardingTaskGroup { group in
            group.addTask { [listener] in
                await runOnOwnThread(named: "sessions") {
                    while let client = listener.next() { continuation.yield(client) }
                    continuation.finish()
                }
            }
            for await client in clients {
                group.addTask {
                    await runOnOwnThread(named: "session") {
                        self.serve(client)
                        self.listener.end(client)
                    }
                }
            }
        }
    }

    private func serve(_ client: Int32) {
        let number = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        guard let connection = TLSConnection(descriptor: client, context) else { return }
        // Name and value of the attribute in which Apple's certificates have the merchant identifier.
        let owner = wallet.merchants.first { merchant in
            let attribute =
                DER.objectIdentifier("0.9.2342.19200300.100.1.1") + DER.utf8String(merchant.id)
            return connection.peer.subject.firstRange(of: attribute) != nil
        }
        while let (head, body) = connection.request() {
            let request = SessionRequest(connection: number, client: owner?.id, head: head, body: body)
            let fault = state.withLock { state in
                state.requests.append(request)
                state.requests.removeFirst(max(0, state.requests.count - Self.keptRequests))
                return state.fault
            }
            guard let answer = fault.map({ $0.answer }) ?? request.answer(by: wallet) else {
                _ = connection.request()
                return
            }
            guard connection.write(answer) else { return }
        }
    }
}
