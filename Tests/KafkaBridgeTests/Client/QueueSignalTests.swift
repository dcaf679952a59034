import Testing

@testable import KafkaBridge

@Suite(.timeLimit(.minutes(4))) struct QueueSignalTests {
    @Test func `a signal that nobody waits for is kept, but only one`() async {
        let signal = QueueSignal()
        signal.signal()
        signal.signal()
        await signal.wait()
        let again = Recorder(false)
        async let waiting: Void = {
            await signal.wait()
            await again.update { $0 = true }
        }()
        #expect(await !again.state)
        signal.signal()
        await waiting
        #expect(await again.state)
    }

    @Test func `no signal is missed between threads`() async {
        let signal = QueueSignal()
        let answer = QueueSignal()
        async let pong: Void = {
            for _ in 0..<10_000 {
                await signal.wait()
                answer.signal()
            }
        }()
        for _ in 0..<10_000 {
            signal.signal()
            await answer.wait()
        }
        await pong
    }
}
