import Foundation
import SandboxPKI

/// The simulated UnionPay: keeps the book, answers requests and sends notifications.
///
/// ``Book`` and ``RequestRules`` decide. This actor adds time, signatures and faults in transport.
actor Acquirer {
    /// Posts a form and returns the status of the answer, nil when there was none.
    typealias Post = @Sendable (_ url: String, _ form: [UInt8]) async -> Int?

    /// What happens after an answer.
    private enum Job: Sendable {
        case finish(String)
    }

    let options: SimulatorOptions
    let pki: AcquirerPKI
    let post: Post
    private let rules: RequestRules
    private let jobs: AsyncStream<Job>
    private let newJob: AsyncStream<Job>.Continuation

    var book: Book
    var signer: AcquirerSigner
    var room = HeldRequests()
    var outages: [Outage.Place: Outage] = [:]
    /// Seconds added to this machine's clock.
    var clockOffset: Int64 = 0
    /// Events by name since the last reset.
    var counts: [String: Int] = [:]

    init(pki: AcquirerPKI, options: SimulatorOptions, post: @escaping Post) {
        self.pki = pki
        self.options = options
        self.post = post
        rules = RequestRules(merchants: Set(pki.merchants), certificateID: pki.certificateID)
        signer = AcquirerSigner(pki)
        book = Book(options)
        (jobs, newJob) = AsyncStream.makeStream()
    }

    /// The acquirer's clock.
    var now: BeijingTime { BeijingTime(seconds: Int64(Date().timeIntervalSince1970) + clockOffset) }

    /// Completes accepted transactions, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await case .finish(let queryID) in jobs {
                group.addTask { await self.finish(queryID) }
            }
            group.cancelAll()
        }
    }

    /// Answers a request to one of the gateway's addresses; nil closes the connection without an answer.
    func answer(_ form: [UInt8], at endpoint: RequestRules.Endpoint) async throws -> Answer? {
        count("\(endpoint.rawValue) requests")
        if let outage = outage(at: endpoint.place) {
            if outage.mode == .hang { try await Task.sleep(until: outage.until) }
            return outage.mode == .unavailable ? .page(status: 503) : nil
        }
        guard let message = ACPMessage(form: form) else { return try refuse(ACPMessage([:]), Refusal(.badFormat)) }
        let key = pki[.merchant].certificate.publicKey
        do throws(Refusal) {
            try rules.check(message, at: endpoint, now) { message.isSigned(by: key) }
        } catch {
            return try refuse(message, error)
        }
        switch endpoint {
        case .query: return try query(message)
        case .file: return try settlementFile(message)
        case .back:
            guard let kind = TransactionKind(rawValue: message["txnType"] ?? "") else {
                return try encryptionCertificate(message)
            }
            return try await transact(message, kind)
        }
    }

    func count(_ event: String) { counts[event, default: 0] += 1 }

    /// The outage at that place, if there is one.
    func outage(at place: Outage.Place) -> Outage? {
        [outages[place], outages[.all]].compactMap(\.self).filter { $0.until > .now }.max { $0.until < $1.until }
    }

    private func transact(_ message: ACPMessage, _ kind: TransactionKind) async throws -> Answer? {
        guard let card = signer.clearCard(of: message) else {
            return try refuse(message, Refusal(.badFormat, "encryptCertId"))
        }
        let request = TransactionRequest(message, kind, card: card)
        await hold(request, at: .received)
        let submission: Book.Submission
        do throws(Refusal) {
            submission = try book.submit(request, at: now)
        } catch {
            return try refuse(message, error)
        }
        count("fault \(submission.fault)")
        if let queryID = submission.queryID {
            switch submission.then {
            case .nothing: break
            case .finishLater: newJob.yield(.finish(queryID))
            case .notifyFirst: await notify(queryID)
            }
        }
        await hold(request, at: .booked)
        if [.slow, .slowDrop].contains(submission.style) { try await Task.sleep(for: options.slowAnswer) }
        return try answer(
            message, ["queryId": submission.queryID ?? ""], submission.style, Refusal(submission.code))
    }

    private func query(_ message: ACPMessage) throws -> Answer? {
        let found: Book.QueryResult
        do throws(Refusal) {
            found = try book.query(message, at: now)
        } catch {
            return try refuse(message, error)
        }
        var fields = found.transaction.resultFields(card: try signer.card(of: found.transaction))
        if !found.shown.movesMoney {
            fields = fields.filter { TransactionRequest.kept.contains($0.key) }
            fields["txnAmt"] = String(found.transaction.amount)
            fields["settleAmt"] = "0"
        }
        fields["origRespCode"] = found.shown.text
        fields["origRespMsg"] = found.shown.message()
        return try answer(message, fields, found.style, Refusal(.success))
    }

    private func finish(_ queryID: String) async {
        guard (try? await Task.sleep(for: options.processingTime)) != nil else { return }
        book.finish(queryID)
        await notify(queryID)
    }

    /// Waits while a test holds the request.
    private func hold(_ request: TransactionRequest, at stage: Hold.Stage) async {
        guard let (guest, wait) = room.enter(request, at: stage) else { return }
        count("held")
        for await _ in wait {}
        room.leave(guest)
    }
}

extension RequestRules.Endpoint {
    fileprivate var place: Outage.Place {
        switch self {
        case .back: .back
        case .query: .query
        case .file: .file
        }
    }
}
