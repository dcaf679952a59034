import CCurl
import OrchardHTTPTypes
import OrchardServiceKit

/// Owns libcurl's multi handle and all transfers, on one thread of its own; nothing else touches them.
///
/// @unchecked Sendable: it is made by one task, handed to its thread, and then only ``run()`` touches it. Other tasks
/// use the mailbox.
final class CurlLoop: @unchecked Sendable {
    private let configuration: HTTPClientConfiguration
    private let mailbox: ClientMailbox
    private let metrics: ClientMetrics
    private let sockets = ConnectionSockets()
    private var transfers: [UInt64: Transfer] = [:]
    /// Which transfer a handle belongs to.
    private var owners: [UnsafeMutableRawPointer: UInt64] = [:]
    /// Handles to be used again.
    private var idleHandles: [EasyHandle] = []
    private var isFinishing = false
    /// How many connections libcurl may have. It would close all but a few whenever little is on its way, and a new one
    /// costs a TLS handshake.
    private var connections = 64
    private var nextLook = ContinuousClock.now

    /// How many handles are kept for the next requests.
    private static let idleHandlesLimit = 256
    /// How often libcurl looks at all transfers while one has no connection yet. When it has a host's next address to try,
    /// libcurl 7.88 does not ask to be called: without a look that would wait for the next time-out.
    private static let lookInterval = Duration.milliseconds(100)

    /// libcurl's own initialisation, once a process.
    private static let isInitialised = orchard_global_init() == 0

    init(configuration: HTTPClientConfiguration, mailbox: ClientMailbox, metrics: ClientMetrics) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.metrics = metrics
    }

    /// Runs until it is asked to finish and is done, or to abort.
    func run() {
        guard Self.isInitialised, let events = CurlEvents(), let multi = curl_multi_init() else {
            return refuse(mailbox.close())
        }
        orchard_multi_set_long(multi, CURLMOPT_PIPELINING, 0)
        orchard_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
        events.observe(multi)
        mailbox.open { [wakeUp = events.wakeUp] in wakeUp.send() }
        while true {
            let contents = mailbox.drain()
            for submission in contents.submissions { start(submission, multi) }
            for id in contents.cancelled { cancel(id, multi) }
            isFinishing = isFinishing || contents.finishes
            events.performDue(multi)
            look(multi)
            finishEnded(multi)
            guard !contents.aborts, !(isFinishing && transfers.isEmpty) else { break }
            events.wait(multi, atMost: transfers.isEmpty ? .seconds(1) : Self.lookInterval)
            // Before the mailbox: who has an answer is not cancelled any more.
            finishEnded(multi)
        }
        refuse(mailbox.close())
        for transfer in Array(transfers.values) {
            end(transfer, multi, HTTPFailure(.stopped, "the HTTP client was stopped"))
        }
        idleHandles = []
        // libcurl lets go of its last sockets, which it says to the events.
        withExtendedLifetime(events) { _ = curl_multi_cleanup(multi) }
    }

    private func start(_ submission: ClientMailbox.Submission, _ multi: UnsafeMutableRawPointer) {
        let failure: HTTPFailure
        do throws(HTTPFailure) {
            let url = try submission.request.check(configuration.urlPolicy)
            guard let easy = idleHandles.popLast() ?? EasyHandle() else {
                throw HTTPFailure(.other, "libcurl gave no handle")
            }
            let transfer = Transfer(
                submission, easy: easy, url: url, configuration: configuration, sockets: sockets)
            transfers[submission.id] = transfer
            owners[easy.pointer] = submission.id
            // Those that are in use count as well.
            if transfers.count > connections / 2 {
                connections = transfers.count * 2
                orchard_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connections)
            }
            curl_multi_add_handle(multi, easy.pointer)
            return
        } catch {
            failure = error
        }
        submission.continuation.resume(returning: .notSent(failure))
    }

    private func look(_ multi: UnsafeMutableRawPointer) {
        guard !transfers.isEmpty, nextLook <= .now else { return }
        nextLook = .now + Self.lookInterval
        if transfers.values.contains(where: { $0.record.readyCount == 0 }) { orchard_multi_look(multi) }
    }

    private func cancel(_ id: UInt64, _ multi: UnsafeMutableRawPointer) {
        guard let transfer = transfers[id] else { return }
        end(transfer, multi, HTTPFailure(.cancelled, "the task was cancelled"))
    }

    private func finishEnded(_ multi: UnsafeMutableRawPointer) {
        var code: Int32 = 0
        while let pointer = orchard_next_ended(multi, &code) {
            guard let id = owners[pointer], let transfer = transfers[id] else { continue }
            if transfer.record.metStrayInput, !transfer.isSecondTry, transfer.bytesSent == 0,
                ContinuousClock.now < transfer.deadline
            {
                curl_multi_remove_handle(multi, pointer)
                transfer.restart()
                curl_multi_add_handle(multi, pointer)
            } else {
                end(transfer, multi, transfer.failure(code: code))
            }
        }
    }

    private func end(_ transfer: Transfer, _ multi: UnsafeMutableRawPointer, _ failure: HTTPFailure?) {
        let outcome = transfer.record.outcome(failure: failure, bytesSent: transfer.bytesSent)
        let easy = transfer.easy
        curl_multi_remove_handle(multi, easy.pointer)
        curl_easy_reset(easy.pointer)
        if idleHandles.count < Self.idleHandlesLimit { idleHandles.append(easy) }
        owners[easy.pointer] = nil
        transfers[transfer.submission.id] = nil
        metrics.ended(at: transfer.url.host, outcome, in: transfer.begin.duration(to: .now))
        transfer.submission.continuation.resume(returning: outcome)
    }

    private func refuse(_ contents: ClientMailbox.Contents) {
        for submission in contents.submissions {
            submission.continuation.resume(
                returning: .notSent(HTTPFailure(.stopped, "the HTTP client has ended")))
        }
    }
}

/// A `CURL *`; it is cleaned up with its last reference.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard let pointer = curl_easy_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_easy_cleanup(pointer) }
}
