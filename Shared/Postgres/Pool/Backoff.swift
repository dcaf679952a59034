/// Pauses between attempts: doubling from 100 ms up to 5 s, each a random part between a half and the whole, so that
/// many processes do not come back at once.
struct Backoff {
    private var next = Duration.milliseconds(100)

    mutating func pause(using generator: inout some RandomNumberGenerator) -> Duration {
        let pause = next * Double.random(in: 0.5...1, using: &generator)
        next = min(next * 2, .seconds(5))
        return pause
    }
}
