import Contracts
import Foundation
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import SandboxProcesses

/// `GET /api/books`: runs the audit and reads the books of acquirer, gateway and ledger, each time anew.
final class BooksReading: Sendable {
    private let acquirer: AcquirerBook
    /// Connection strings of the two databases.
    private let gateway, ledger: String
    private let audit: @Sendable () async throws -> ProgramRun
    private let isReading = Locked(false)

    /// - Parameter audit: runs `order-ledger audit`.
    init(
        acquirer: AcquirerBook, gateway: String, ledger: String,
        audit: @escaping @Sendable () async throws -> ProgramRun
    ) {
        self.acquirer = acquirer
        self.gateway = gateway
        self.ledger = ledger
        self.audit = audit
    }

    /// - Throws: 503 while another reading is in progress, or when a book cannot be read.
    func answer() async throws -> HTTPResponse {
        guard
            isReading.withLock({ isReading in
                defer { isReading = true }
                return !isReading
            })
        else {
            throw Problem(
                .serviceUnavailable, code: "books-busy", detail: "the books are being read; ask again in a moment",
                fields: ["Retry-After": "1"])
        }
        defer { isReading.withLock { $0 = false } }
        do {
            return .json(try await read().bytes)
        } catch let error as CancellationError { throw error } catch {
            throw Problem(
                .serviceUnavailable, code: "books-unreadable", detail: "a book cannot be read now: \(error)",
                fields: ["Retry-After": "2"])
        }
    }

    private func read() async throws -> JSONValue {
        guard let currency = Currency(Catalogue.currency) else { throw DemoError("the shop has no currency") }
        let audit = try await audit()
        var books = try await sums()
        // A payment that is on its way is in one book and not yet in another.
        for _ in 0..<10 where !books.agree {
            try await Task.sleep(for: .milliseconds(200))
            books = try await sums()
        }
        let lines = audit.output.split(separator: "\n").map { JSONValue.string(String($0)) }
        return [
            "audit": ["exit": .integer(Int64(audit.status)), "lines": .array(lines)],
            "acquirer": books.acquirer.json(in: currency), "gateway": books.gateway.json(in: currency),
            "ledger": books.ledger.json(in: currency),
            "currency": .string(currency.code), "readAt": .string(Timestamp.now.description),
            "agree": .bool(audit.status == 0 && books.agree),
        ]
    }

    private struct Sums: Sendable {
        let acquirer, gateway, ledger: MoneyMoved

        var agree: Bool { acquirer == gateway && gateway == ledger }
    }

    private func sums() async throws -> Sums {
        Sums(
            acquirer: try await acquirer.moved(),
            gateway: try await Self.with(gateway) { try await GatewayBook(connection: $0).moved() },
            ledger: try await Self.with(ledger) { try await LedgerBook(connection: $0).moved() })
    }

    private static func with<Value: Sendable>(
        _ database: String, _ read: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: database))
        do {
            let value = try await read(connection)
            await connection.close()
            return value
        } catch {
            await connection.close()
            throw error
        }
    }
}
