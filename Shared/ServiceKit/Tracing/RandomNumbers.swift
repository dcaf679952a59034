import Synchronization

/// Random numbers for identifiers that are not secret, such as those of traces.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014), begun anywhere, so that each
/// process has its own numbers. The kernel's would cost a request a hundredth of its time.
enum RandomNumbers {
    private static let state = Atomic<UInt64>(UInt64.random(in: 0...UInt64.max))
    /// Odd, so that the state takes each of its values once before it comes back: 2^64 divided by the golden ratio.
    static let step: UInt64 = 0x9E37_79B9_7F4A_7C15

    /// A number that is not zero. A process gives none twice.
    static func next() -> UInt64 {
        while true {
            let number = mixed(state.wrappingAdd(step, ordering: .relaxed).newValue)
            if number != 0 { return number }
        }
    }

    /// Another number for each one.
    static func mixed(_ number: UInt64) -> UInt64 {
        var number = number
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        return number ^ (number >> 31)
    }
}
