import Contracts
import OrchardServiceKit

/// One customer of a load: the shop opens an order, the device pays it and waits for the outcome.
struct LoadCustomer: Sendable {
    let shop: ShopServer
    let device: Device
    let stock: TokenStock
    /// The body of the shop's request.
    let order: [UInt8]
    /// The run's name in idempotency keys.
    let run: String
    /// How long the device waits for an outcome.
    let wait: Duration
    let result: Locked<LoadResult>

    /// Buys once. The order's time counts from the planned arrival, so that a late start of this program is not hidden.
    func buy(_ number: Int, arriving planned: ContinuousClock.Instant) async {
        result.withLock { $0.add(delay: ContinuousClock.now - planned) }
        var step = "the order was not opened"
        do {
            let opened = try await shop.open(key: "\(run)-\(number)", body: order, worker: number)
            result.withLock { $0.add(ContinuousClock.now - planned, of: .order) }
            let token = try stock.token(for: opened.order)
            step = "the payment was not accepted"
            let sent = ContinuousClock.now
            let payment: PaymentID
            switch try await device.pay(token, ticket: opened.ticket, worker: number) {
            case .rejected(let stage): return result.withLock { $0.end("rejected at \(stage)") }
            case .accepted(let accepted): payment = accepted
            }
            result.withLock { $0.add(ContinuousClock.now - sent, of: .accept) }
            step = "the device got none"
            let outcome = try await device.outcome(
                of: payment, order: opened.order, ticket: opened.ticket, worker: number, within: wait)
            let published = ContinuousClock.now
            result.withLock { result in
                switch outcome {
                case .succeeded:
                    result.add(published - sent, of: .paid)
                    result.add(published - planned, of: .whole)
                    result.end("paid")
                case .undecided(let status):
                    result.end(without: step, because: "payment \(payment) of order \(opened.order): \(status)")
                default: result.end("\(outcome)")
                }
            }
        } catch is CancellationError {
            // In progress when Ctrl-C came: neither ended nor failed.
        } catch {
            result.withLock { $0.end(without: step, because: "\(error)") }
        }
    }
}
