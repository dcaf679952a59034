import Charging
import Foundation
import TestSupport
import Testing

@testable import Acquirers

/// Settlement files that nobody meant well, against the fuzzer's own properties.
@Suite("Hostile settlement files")
struct HostileSettlementTests {
    private static let folder = Checkout.root.appending(path: "Tests/Fuzz/Corpus/SettlementFile")

    private static func seeds() throws -> [[UInt8]] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }.map { Array(try Data(contentsOf: $0)) }
    }

    @Test("that the fuzzer kept satisfy every property, and some are taken")
    func kept() throws {
        let properties = try #require(SettlementFileProperties())
        let seeds = try Self.seeds()
        #expect(seeds.count >= 5, "the corpus is in its place")
        for seed in seeds { #expect(properties.violation(seed) == nil) }
        // Without a file that is taken the properties of one would prove nothing.
        let taken = seeds.filter { $0.first == UInt8(ascii: "0") }.compactMap { package in
            try? SettlementPackage.read(
                Array(package.dropFirst()), of: SettlementFileProperties.account, on: properties.date)
        }
        #expect(taken.contains { $0.rows.count == 2 })
    }

    @Test("changed at random satisfy every property", arguments: [UInt64(1), 2, 3])
    func changed(seed: UInt64) throws {
        let properties = try #require(SettlementFileProperties())
        let seeds = try Self.seeds()
        var random = SplitMix(state: seed)
        for _ in 0..<400 {
            var input = seeds[Int.random(in: seeds.indices, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.change(&input, with: &random) }
            let violation = properties.violation(input)
            #expect(violation == nil, "seed \(seed): \(input)")
        }
    }

    /// Another byte, a digit, a piece that is cut, doubled or moved.
    private static func change(_ input: inout [UInt8], with random: inout SplitMix) {
        guard input.count > 2 else { return }
        let place = Int.random(in: 1..<input.count, using: &random)
        let end = min(input.count, place + Int.random(in: 1...700, using: &random))
        switch Int.random(in: 0..<5, using: &random) {
        case 0: input[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: input[place] = UInt8.random(in: 48...57, using: &random)
        case 2: input.removeSubrange(place..<end)
        case 3: input.insert(contentsOf: input[place..<end], at: place)
        default: input.append(contentsOf: input[place..<end])
        }
    }

    /// The same numbers for the same seed.
    private struct SplitMix: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var number = state
            number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
            number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
            return number ^ (number >> 31)
        }
    }
}
