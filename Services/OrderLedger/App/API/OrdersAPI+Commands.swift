import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import Outbox

extension OrdersAPI {
    /// `GET /v1/orders/{id}/commands/{command}?wait=N`: what became of a command, awaited up to N seconds.
    func showCommand(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .read)
        let order = try orderID(parameters)
        guard let command = parameters["command"].flatMap({ CommandID($0) }) else { throw Problem.noSuchCommand }
        let wait = try Self.wait(request)
        let partition = try await database.withConnection { connection in
            try await place(of: order, of: merchant.id, on: connection).partition
        }
        let deadline = ContinuousClock.now + .seconds(wait)
        let view = try await statusChanges.withChanges(of: order) { statusChanges in
            var view = try await self.command(command, of: order, in: partition)
            while !view.outcome.isFinal, await statusChanges.wakes(before: deadline) {
                view = try await self.command(command, of: order, in: partition)
            }
            return view
        }
        return .json(view.json)
    }

    private func command(_ command: CommandID, of order: OrderID, in partition: Int32) async throws -> CommandView {
        let (states, results) = try await database.withConnection { connection in
            try await OrderStore(partition: partition).read(
                [order], beside: [StoredCommand.reading(command, of: order, in: partition)], on: connection)
        }
        let view = CommandView(
            order: order, id: command, stored: try results.first?.rows.first.map { try StoredCommand($0) },
            state: states.first)
        guard !view.isUnknown else { throw Problem.noSuchCommand }
        return view
    }
}

extension Problem {
    fileprivate static var noSuchCommand: Problem {
        Problem(.notFound, code: "no-such-command", detail: "the order has no such command")
    }
}
