import Glibc

/// Runs services together and stops them one after the other, in the reverse order of the list.
///
/// List first what others need: `[admin, database pool, producer, consumer loop, http]`. A signal stops the group
/// gracefully; a second one, or the end of `maximumShutdownDuration`, cancels what is left. A service that throws or
/// returns before that stops the others too. (Shape of swift-service-lifecycle's `ServiceGroup`.)
public struct ServiceGroup: Sendable {
    private let services: [any Service]
    private let logger: Logger
    private let signals: [Int32]
    private let maximumShutdownDuration: Duration
    private let readiness: Readiness?

    private enum Event: Sendable {
        case finished(Int, (any Error)?)
        case signal(Int32)
        case askedByParent
        case deadline
        case watcherEnded
    }

    /// - Parameters:
    ///   - services: in the order of dependence; the last one is stopped first.
    ///   - gracefulShutdownSignals: signals that stop the group; meanwhile they do not end the process directly.
    ///   - maximumShutdownDuration: keep it below the `terminationGracePeriodSeconds` (30) of the platform.
    ///   - readiness: set to not ready as soon as the group stops, so that load balancers send nothing more.
    public init(
        services: [any Service], logger: Logger, gracefulShutdownSignals: [Int32] = [SIGTERM, SIGINT],
        maximumShutdownDuration: Duration = .seconds(25), readiness: Readiness? = nil
    ) {
        self.services = services
        self.logger = logger
        self.signals = gracefulShutdownSignals
        self.maximumShutdownDuration = maximumShutdownDuration
        self.readiness = readiness
    }

    /// Runs until every service ended.
    ///
    /// - Throws: the error of the service that failed first; ``ServiceGroupError``; `CancellationError` when the
    ///   surrounding task was cancelled.
    public func run() async throws {
        guard !services.isEmpty else { return }
        // When the peer has closed a connection, `write` must return an error and not end the process.
        signal(SIGPIPE, SIG_IGN)
        var sequence = ShutdownSequence(count: services.count)
        var failure: (any Error)?
        let shutdowns = services.map { _ in GracefulShutdown() }
        let arrivals = ProcessSignals.stream(of: signals)

        await withTaskGroup(of: Event.self) { group in
            for (index, service) in services.enumerated() {
                group.addTask { await Self.run(service, index, shutdowns[index]) }
            }
            group.addTask { await Self.firstSignal(in: arrivals) }
            group.addTask {
                (try? await gracefulShutdown()) != nil ? .askedByParent : .watcherEnded
            }

            events: while let event = await group.next() {
                let input: ShutdownSequence.Input
                switch event {
                case .watcherEnded: continue
                case .deadline: input = .deadlinePassed
                case .askedByParent: input = .stopAsked
                case .signal(let number):
                    logger.notice("signal \(number): stopping\(sequence.hasBegun ? " at once" : "")")
                    group.addTask { await Self.firstSignal(in: arrivals) }
                    input = .stopAsked
                case .finished(let index, let error):
                    report(index, error, stopping: sequence.hasBegun)
                    if failure == nil { failure = error }
                    input = .finished(index, failed: error != nil)
                }
                for action in sequence.receive(input) {
                    switch action {
                    case .startDeadline:
                        readiness?.set("process", ready: false, reason: "is shutting down")
                        group.addTask { [maximumShutdownDuration] in
                            (try? await Task.sleep(for: maximumShutdownDuration)) != nil ? .deadline : .watcherEnded
                        }
                    case .requestStop(let index):
                        logger.info("stopping \(name(index))")
                        shutdowns[index].begin()
                    case .cancelAll:
                        logger.warning("cancelling what is still running")
                        group.cancelAll()
                    case .end: break events
                    }
                }
            }
            group.cancelAll()
        }
        try conclude(sequence.fault, failure)
    }

    private func conclude(_ fault: ShutdownSequence.Fault?, _ failure: (any Error)?) throws {
        switch fault {
        case .failed: if let failure { throw failure }
        case .returnedEarly(let index):
            throw ServiceGroupError(code: .returnedEarly, reason: "\(name(index)) ended without a request to stop")
        case .tookTooLong(let indices):
            let names = indices.map(name).joined(separator: ", ")
            throw ServiceGroupError(
                code: .tookTooLong, reason: "not stopped within \(maximumShutdownDuration): \(names)")
        case nil: break
        }
        try Task.checkCancellation()
    }

    private func report(_ index: Int, _ error: (any Error)?, stopping: Bool) {
        switch error {
        case let error? where !(error is CancellationError): logger.error("\(name(index)) failed: \(error)")
        default: stopping ? logger.info("\(name(index)) stopped") : logger.error("\(name(index)) ended by itself")
        }
    }

    private func name(_ index: Int) -> String { Self.name(of: services[index]) }

    /// The name of a service in the log: its description if it has one, otherwise its type.
    static func name(of service: any Service) -> String {
        (service as? any CustomStringConvertible)?.description ?? String(describing: type(of: service))
    }

    private static func run(_ service: any Service, _ index: Int, _ shutdown: GracefulShutdown) async -> Event {
        do {
            try await GracefulShutdown.$current.withValue(shutdown) { try await service.run() }
            return .finished(index, nil)
        } catch {
            return .finished(index, error)
        }
    }

    private static func firstSignal(in arrivals: AsyncStream<Int32>) async -> Event {
        for await number in arrivals { return .signal(number) }
        return .watcherEnded
    }
}
