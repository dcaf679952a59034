import Foundation

/// A call of librdkafka that blocks until brokers answer or its time is over.
enum BlockingCall {
    /// Runs `body` on a thread of its own. Who is cancelled does not wait for it: otherwise a service that stops
    /// would wait for brokers that do not answer.
    ///
    /// - Parameter body: may go on after the caller; it keeps alive what it uses.
    /// - Throws: what `body` throws; ``KafkaError/Code-swift.struct/closed`` when the caller was cancelled.
    static func run<Value: Sendable>(
        named name: String, _ body: @escaping @Sendable () throws(KafkaError) -> Value
    ) async throws(KafkaError) -> Value {
        let (answers, answer) = AsyncStream<Result<Value, KafkaError>>.makeStream()
        let thread = Thread {
            do throws(KafkaError) { answer.yield(.success(try body())) } catch { answer.yield(.failure(error)) }
            answer.finish()
        }
        thread.name = name
        thread.start()
        for await result in answers { return try result.get() }
        throw cancelled
    }

    static let cancelled = KafkaError(.closed, "the caller waits no longer")
}
