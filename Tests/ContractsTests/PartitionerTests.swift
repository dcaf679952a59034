import Testing

@testable import Contracts

@Suite("The partitioner")
struct PartitionerTests {
    @Test(
        "computes murmur2 as Kafka's Java client does",
        arguments: [
            ("21", -973_932_308), ("foobar", -790_332_482), ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971), ("abc", 479_470_107),
        ] as [(String, Int32)])
    func murmur2(text: String, hash: Int32) {
        #expect(Int32(bitPattern: Partitioner.murmur2(Array(text.utf8))) == hash)
    }

    @Test("keeps an order in its partition and spreads orders")
    func spread() {
        var counts = [Int](repeating: 0, count: 12)
        for number in 0..<12_000 {
            let order = OrderID(
                time: Timestamp(microseconds: Int64(number) * 1_000), randomness: [UInt8](repeating: 7, count: 10))
            let partition = Partitioner.partition(of: order, among: 12)
            #expect(partition == Partitioner.partition(of: order, among: 12))
            counts[Int(partition)] += 1
        }
        #expect(counts.allSatisfy { (800...1_200).contains($0) })
    }
}
