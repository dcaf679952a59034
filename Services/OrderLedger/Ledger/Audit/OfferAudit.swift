import Contracts

/// Compares what the API stored for one order with what it published. Every price that a device may have been asked to
/// pay must be published, and every published price must have been offered.
///
/// It finds a changed request, a revision that was never published, and one published with another price than its
/// request.
public struct OfferAudit: Hashable, Sendable {
    /// A revision as the API stored it.
    public struct Revision: Hashable, Sendable {
        public let number: Int64
        public let choice: OfferChoice
        public let total: Int64

        public init(_ number: Int64, _ choice: OfferChoice, total: Int64) {
            self.number = number
            self.choice = choice
            self.total = total
        }
    }

    /// The final lines as the API stored them.
    public struct Final: Hashable, Sendable {
        public let number: Int64
        /// nil when it cannot be read or was changed since it was stored.
        public let request: OfferRequest?
        /// What the customer had chosen in the revision that was paid; nil when the books do not have it.
        public let choice: OfferChoice?

        public init(_ number: Int64, _ request: OfferRequest?, _ choice: OfferChoice?) {
            self.number = number
            self.request = request
            self.choice = choice
        }
    }

    /// A fact of the API, in the books or still in the outbox.
    public struct Published: Hashable, Sendable {
        public let fact: OfferFact
        /// Its row; nil while the fact waits in the outbox.
        public let position: JournalPosition?

        public init(_ fact: OfferFact, at position: JournalPosition?) {
            self.fact = fact
            self.position = position
        }
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let partitions: Int32
    /// The shop's request; nil when it cannot be read or was changed since it was stored.
    public let request: OfferRequest?
    public let columns: Columns
    /// The revision in force, as the order's row names it.
    public let newest: Int64
    /// In ascending order of their numbers.
    public let revisions: [Revision]
    /// The final lines; nil for an order that has none.
    public let final: Final?
    public let published: [Published]
    /// The facts of its final lines.
    public let publishedFinals: [Published]
    /// Whether facts that left the outbox may not be in the books yet.
    public let isBehind: Bool

    public init(
        order: OrderID, merchant: MerchantID, partitions: Int32, request: OfferRequest?, columns: Columns,
        newest: Int64, revisions: [Revision], final: Final? = nil, published: [Published],
        publishedFinals: [Published] = [],
        isBehind: Bool
    ) {
        self.order = order
        self.merchant = merchant
        self.partitions = partitions
        self.request = request
        self.columns = columns
        self.newest = newest
        self.revisions = revisions
        self.final = final
        self.published = published
        self.publishedFinals = publishedFinals
        self.isBehind = isBehind
    }

    public var findings: [AuditCheck.Finding] {
        guard let request else {
            return [finding("the stored request was changed, or cannot be read", at: published.first?.position)]
        }
        var findings = columns.faults(against: request).map { finding($0) }
        findings += revisions.flatMap { self.findings(of: $0, request) }
        // Each number is checked and none is trusted: a changed row may have any number.
        if newest != Int64(revisions.count) || revisions.enumerated().contains(where: { $1.number != Int64($0 + 1) }) {
            findings.append(finding("its revisions are not those from 1 to \(newest), which is in force"))
        }
        let known = Set(revisions.map(\.number))
        for one in published where !known.contains(one.fact.revision) {
            findings.append(finding("revision \(one.fact.revision) was published, but never offered", at: one.position))
        }
        return findings + finalFindings
    }

    private func findings(of revision: Revision, _ request: OfferRequest) -> [AuditCheck.Finding] {
        let offer: Offer
        do {
            offer = try Offer(request, revision: revision.number, revision.choice)
        } catch {
            return [finding("revision \(revision.number) has no price: \(error)")]
        }
        var findings: [AuditCheck.Finding] = []
        if offer.totals.total != revision.total {
            findings.append(
                finding(
                    "revision \(revision.number) is stored with a total of \(decimal(revision.total)), its request "
                        + "gives \(decimal(offer.totals.total))"))
        }
        let expected = offer.fact(order: order, merchant: merchant, partitions: partitions).offerFact
        let matching = published.filter { $0.fact.revision == revision.number }
        if matching.isEmpty, !isBehind {
            findings.append(
                finding("revision \(revision.number) was offered for \(offer.totals.amount), but never published"))
        }
        for one in matching where one.fact != expected {
            let text =
                one.fact.totals == offer.totals
                ? "other goods, shipping or partitions than the request has"
                : "\(one.fact.totals.amount), its request gives \(offer.totals.amount)"
            findings.append(finding("revision \(revision.number) was published as \(text)", at: one.position))
        }
        return findings
    }

    private var finalFindings: [AuditCheck.Finding] {
        guard let final else {
            return publishedFinals.map { finding("final lines were published, but never stored", at: $0.position) }
        }
        let place = publishedFinals.first?.position
        guard let request = final.request, let choice = final.choice,
            let price = try? Offer(request, revision: final.number, choice)
        else {
            return [finding("the stored final lines were changed, or cannot be read or priced", at: place)]
        }
        var findings: [AuditCheck.Finding] = []
        if final.number != newest &+ 1 {
            findings.append(finding("the final lines are revision \(final.number), behind \(newest)", at: place))
        }
        if publishedFinals.isEmpty, !isBehind { findings.append(finding("the final lines were never published")) }
        let expected = price.finalFact(order: order, merchant: merchant, partitions: partitions).finalFact
        for one in publishedFinals where one.fact != expected {
            findings.append(
                finding(
                    "the final lines were published as \(one.fact.totals.amount), the stored ones give "
                        + "\(price.totals.amount)", at: one.position))
        }
        return findings
    }

    private func decimal(_ amount: Int64) -> String {
        request.map { "\(Money(minorUnits: amount, currency: $0.currency))" } ?? "\(amount)"
    }

    private func finding(_ text: String, at position: JournalPosition? = nil) -> AuditCheck.Finding {
        let partition = Partitioner.partition(of: order, among: max(1, partitions))
        return AuditCheck.Finding("P\(partition) order \(order): \(text)", at: position)
    }
}

extension Fact {
    /// The offer that the fact publishes; nil for a fact of another kind.
    public var offerFact: OfferFact? {
        switch self {
        case .orderOpened(let fact), .orderRepriced(let fact): fact
        default: nil
        }
    }

    /// The final lines that the fact publishes; nil for a fact of another kind.
    public var finalFact: OfferFact? { if case .orderFinalised(let fact) = self { fact } else { nil } }
}
