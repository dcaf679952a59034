import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Prices offered and prices published")
struct OfferAuditTests {
    private static let merchant = MerchantID(hash: [UInt8](repeating: 7, count: 32))
    private static let place = JournalPosition(partition: Shop.partition, offset: 5)

    private static let columns = OfferAudit.Columns(reference: nil, expiry: nil, isClosed: false)

    /// What the API would have stored and published of an order that was repriced once.
    private func audit(
        request: OfferRequest? = Shop.request, newest: Int64 = 2, totals: [Int64] = [10_900, 12_220],
        isBehind: Bool = false, columns: OfferAudit.Columns = columns,
        published change: ([OfferAudit.Published]) -> [OfferAudit.Published] = { $0 }
    ) throws -> [AuditCheck.Finding] {
        let methods = ["post", "courier", "post"]
        let published = try (1...2).map { revision in
            let offer = try Offer(
                Shop.request, revision: Int64(revision), OfferChoice(shippingMethod: methods[revision - 1]))
            let fact = offer.fact(order: Shop.order, merchant: Self.merchant, partitions: Shop.partitions)
            return OfferAudit.Published(try #require(fact.offerFact), at: Self.place)
        }
        return OfferAudit(
            order: Shop.order, merchant: Self.merchant, partitions: Shop.partitions, request: request,
            columns: columns, newest: newest,
            revisions: totals.enumerated().map {
                OfferAudit.Revision(Int64($0 + 1), OfferChoice(shippingMethod: methods[$0]), total: $1)
            }, published: change(published), isBehind: isBehind
        ).findings
    }

    @Test("Two revisions, published as offered, give no finding, in the books or still in the outbox")
    func whole() throws {
        #expect(try audit().isEmpty)
        #expect(try audit { $0.map { OfferAudit.Published($0.fact, at: nil) } }.isEmpty)
    }

    @Test("The row's own number and end are those of its request; an order that has ended is not closed any more")
    func columns() throws {
        let (end, later) = (Timestamp(seconds: 1_700_000_000), Timestamp(seconds: 1_700_000_060))
        var request = Shop.request
        (request.reference, request.expiresAt) = ("A-1", end)
        func faults(_ reference: String?, _ expiry: Timestamp?, isClosed: Bool = false) throws -> [String] {
            let columns = OfferAudit.Columns(reference: reference, expiry: expiry, isClosed: isClosed)
            return try audit(request: request, columns: columns).map(\.text)
        }
        #expect(try faults("A-1", later) == [])
        #expect(try faults("A-1", nil, isClosed: true) == [])
        #expect(try faults("A-1", nil).contains { $0.contains("nothing closes it") })
        for wrong in [Timestamp(seconds: 1), end + .seconds(3 * 86_400)] {
            #expect(try faults("A-1", wrong).contains { $0.contains("it would be closed at") })
        }
        for other in ["A-2", nil] {
            #expect(try faults(other, later).contains { $0.contains("reference is not that of its request") })
        }
        (request.reference, request.expiresAt) = (nil, nil)
        #expect(try faults(nil, later).contains { $0.contains("has no end") })
    }

    @Test("A price that was lowered in the stored request differs from the published one, and is reported at its place")
    func changedRequest() throws {
        let cheap = OfferRequest(
            currency: .cny, lines: [OfferLine(label: "Tea", unitAmount: 500, quantity: 2, tax: 600)],
            discounts: Shop.request.discounts, shippingMethods: Shop.request.shippingMethods)
        let findings = try audit(request: cheap)
        #expect(findings.contains { $0.position == Self.place && $0.text.contains("published as 109.00 CNY") })
        #expect(findings.contains { $0.text.contains("stored with a total of 109.00 CNY") })
    }

    @Test("Other goods for the same price are found by their digest")
    func otherGoods() throws {
        let other = OfferRequest(
            currency: .cny, lines: [OfferLine(label: "Cup", unitAmount: 5_000, quantity: 2, tax: 600)],
            discounts: Shop.request.discounts, shippingMethods: Shop.request.shippingMethods)
        #expect(try audit(request: other).contains { $0.text.contains("other goods") })
    }

    @Test("A request that cannot be read, or was changed, is reported once")
    func unreadable() throws {
        #expect(try audit(request: nil).count == 1)
    }

    @Test("An offer that was never published is found, unless facts are on their way into the books")
    func neverPublished() throws {
        #expect(try audit { Array($0.prefix(1)) }.map(\.text).contains { $0.contains("never published") })
        #expect(try audit { _ in [] }.count == 2)
        #expect(try audit(isBehind: true) { Array($0.prefix(1)) }.isEmpty)
    }

    @Test("A revision that was published but never offered is reported at its place")
    func neverOffered() throws {
        let findings = try audit(newest: 1, totals: [10_900])
        #expect(findings.map(\.position) == [Self.place])
    }

    @Test(
        "Revisions that do not go from 1 to the one in force are found, with any stored number",
        arguments: [1, 3, 0, -1, Int64.max, Int64.min])
    func newest(_ newest: Int64) throws {
        #expect(try audit(newest: newest).contains { $0.text.contains("in force") })
    }

    @Test("A stored total that differs from the request's total is found")
    func total() throws {
        #expect(try audit(totals: [10_900, 12_219]).map(\.text).contains { $0.contains("122.19 CNY") })
    }

    @Test("Final lines are published as they are stored, once, behind the newest revision")
    func final() throws {
        let lines = FinalLines(lines: [OfferLine(label: "Ride", unitAmount: 3_800)])
        let request = try lines.applied(to: Shop.request, shippedBy: "courier")
        let offer = try Offer(request, revision: 3, OfferChoice(shippingMethod: "courier"))
        let fact = offer.finalFact(order: Shop.order, merchant: Self.merchant, partitions: Shop.partitions)
        let published = OfferAudit.Published(try #require(fact.finalFact), at: Self.place)
        func findings(
            _ stored: OfferRequest?, _ facts: [OfferAudit.Published], number: Int64 = 3, isBehind: Bool = false,
            isStored: Bool = true, newest: Int64 = 2, method: String = "courier"
        ) throws -> [String] {
            let revisions = ["post", "courier"].enumerated().map { index, method in
                OfferAudit.Revision(
                    Int64(index + 1), OfferChoice(shippingMethod: method), total: [10_900, 12_220][index])
            }
            let offers = try revisions.map { revision in
                let offer = try Offer(Shop.request, revision: revision.number, revision.choice)
                let fact = offer.fact(order: Shop.order, merchant: Self.merchant, partitions: Shop.partitions)
                return OfferAudit.Published(try #require(fact.offerFact), at: Self.place)
            }
            return OfferAudit(
                order: Shop.order, merchant: Self.merchant, partitions: Shop.partitions, request: Shop.request,
                columns: Self.columns, newest: newest, revisions: revisions,
                final: isStored ? .init(number, stored, OfferChoice(shippingMethod: method)) : nil,
                published: offers,
                publishedFinals: facts, isBehind: isBehind
            ).findings.map(\.text)
        }
        #expect(try findings(request, [published]) == [])
        #expect(try findings(request, [published], method: "post").contains { $0.contains("published as") })
        #expect(try findings(request, [], isBehind: true) == [])
        #expect(try findings(request, []).contains { $0.contains("never published") })
        #expect(try findings(request, [published], isStored: false).contains { $0.contains("never stored") })
        #expect(try findings(nil, [published]).contains { $0.contains("changed") })
        #expect(try findings(request, [published], number: 4).contains { $0.contains("revision 4, behind 2") })
        #expect(try findings(request, [published], newest: .max).contains { $0.contains("behind \(Int64.max)") })
        var cheap = request
        cheap.lines = [OfferLine(label: "Ride", unitAmount: 3_700)]
        #expect(try findings(cheap, [published]).contains { $0.contains("published as") })
    }
}
