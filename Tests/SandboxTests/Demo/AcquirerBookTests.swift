import Contracts
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import SandboxDemo

@Suite("The demo's reading of the acquirer's book")
struct AcquirerBookTests {
    /// Serves an answer to `GET book` for the duration of `body`.
    private func serving(
        _ answer: HTTPResponse, _ body: (AcquirerBook) async throws -> Void
    ) async throws {
        var router = Router()
        router.on(.get, "/_control/book") { _, _ in answer }
        let server = HTTPServer(configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router)
        let client = HTTPClient(configuration: Demo.clientConfiguration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await client.run() }
            try await body(AcquirerBook(client: client, address: "http://127.0.0.1:\(try await server.boundPort)"))
            group.cancelAll()
        }
    }

    @Test("accepts a day of ten thousand sales")
    func longDay() async throws {
        let names = (
            order: OrderID(time: Timestamp(seconds: 1_800_000_000), randomness: [UInt8](repeating: 7, count: 10)),
            payment: PaymentID(hash: [UInt8](repeating: 9, count: 16))
        )
        let sale = JSONValue.object([
            "txnType": "01", "state": "success", "amount": .integer(10_740), "fault": "normal",
            "notifySends": .integer(1),
            "notifyAcked": .bool(true), "queries": .integer(1), "backUrl": "http://127.0.0.1/",
            "reqReserved": .string("\(names.order)\(names.payment)"),
            // As long as a row of the real book.
            "rest": .string(String(repeating: "x", count: 1_000)),
        ])
        let book = JSONValue.array([JSONValue](repeating: sale, count: 10_000))
        try await serving(HTTPResponse(status: .ok, body: book.bytes)) { book in
            let sales = try await book.sales()
            #expect(sales.count == 10_000)
            #expect(sales.last?.booked.outcome == .succeeded(10_740))
        }
    }

    @Test("says why there is no answer")
    func noAnswer() async throws {
        try await serving(HTTPResponse(status: .serviceUnavailable)) { book in
            let error = await #expect(throws: DemoError.self) { try await book.sales() }
            #expect(error?.description == "the acquirer's control interface does not answer to book: 503")
        }
    }
}
