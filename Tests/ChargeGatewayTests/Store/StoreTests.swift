import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import Testing

@testable import ChargeGateway

@Suite("The rows of an order")
struct StoreTests {
    @Test("keep every part of its machine")
    func roundTrip() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command), .signed(try gateway.shop.cancel(order))])
            var stories: Set<OperationMachine> = []
            for (number, input) in Self.inputs.enumerated() {
                let saved = try await gateway.transactions.step(order, in: 0) { stored, time in
                    let actions = stored.receive(.operation(command.operation, input), at: time + .seconds(10 * number))
                    return (actions, stored.machine)
                }
                let loaded = try await gateway.transactions.step(order, in: 0) { stored, _ in ([], stored.machine) }
                #expect(loaded?.outcome == saved?.outcome)
                let isLive = saved?.outcome.operations.first?.state.phase.isLive
                #expect(try await gateway.column("is_live", of: order) == isLive?.description)
                if let operation = loaded?.outcome.operations.first { stories.insert(operation) }
            }
            #expect(stories.count == Self.inputs.count, "each step changed something that was kept")
            #expect(try await gateway.column("sealed_card IS NULL AND ticket_hash IS NULL", of: order) == "true")
        }
    }

    @Test("are written only as the role may, and never deleted")
    func role() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await gateway.take([.signed(try gateway.shop.cancel(Shop.order()))])
            for table in ["orders", "operations", "answered_commands"] {
                await #expect(throws: PostgresError.self) {
                    try await gateway.pool.withConnection { try await $0.execute("DELETE FROM gateway.\(table)") }
                }
            }
        }
    }

    @Test("refuse a second live charge of an order, whatever a program does")
    func singleFlight() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            let error = await #expect(throws: PostgresError.self) {
                try await gateway.owner.execute(
                    """
                    INSERT INTO gateway.operations (\(OperationRow.columns), number)
                        SELECT \(OperationRow.columns.replacing("payment_id", with: "$1")), 1
                        FROM gateway.operations WHERE order_id = $2
                    """, [Shop.payment(), order])
            }
            #expect(error?.constraint == "operations_single_flight")
        }
    }

    private static var inputs: [OperationInput] {
        let reference = AcquirerReference(acquirer: "unionpay", account: "1", orderNumber: "2", time: .now)
        let result = AcquirerResult(reference: reference, code: "00")
        return [
            .due(.ready), .sent(attempt: 1, .notSent(reason: "refused")), .due(.ready),
            .sent(attempt: 2, .unknown(reason: "timeout")), .due(.ready),
            .notified(AcquirerAnswer(.declined(.other), result: result)),
            .queried(.answered(AcquirerAnswer(.accepted, result: result))),
            .queried(.answered(AcquirerAnswer(.succeeded(remark: nil), result: result))),
        ]
    }
}
