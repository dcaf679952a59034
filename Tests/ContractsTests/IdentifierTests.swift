import Testing

@testable import Contracts

@Suite("Identifiers")
struct IdentifierTests {
    private let text = "0198f3a2b4c57d6e8f901a2b3c4d5e6f"

    @Test("with any other byte at any place are refused", arguments: 0..<32)
    func otherBytes(place: Int) {
        let digits = Array("0123456789abcdef0123456789abcdef".utf8)
        for byte in UInt8.min...UInt8.max {
            var text = digits
            text[place] = byte
            let isDigit = Array("0123456789abcdef".utf8).contains(byte)
            #expect((OrderID(digits: text.span)?.description).map { Array($0.utf8) } == (isDigit ? text : nil))
        }
    }

    @Test("are 32 lower-case hex digits, in text and in bytes")
    func roundTrip() throws {
        let order = try #require(OrderID(text))
        #expect(order.description == text)
        #expect(OrderID(bytes: order.bytes) == order)
        #expect(order.bytes.first == 0x01)
        #expect(order.bytes.last == 0x6f)
    }

    @Test(
        "that are malformed are refused",
        arguments: [
            "", "0198f3a2b4c57d6e8f901a2b3c4d5e6", "0198f3a2b4c57d6e8f901a2b3c4d5e6f0",
            "0198F3A2B4C57D6E8F901A2B3C4D5E6F",
            "0198f3a2-b4c5-7d6e-8f90-1a2b3c4d5e6f", "0198f3a2b4c57d6e8f901a2b3c4d5e6g",
            "+198f3a2b4c57d6e8f901a2b3c4d5e6f",
        ])
    func refused(text: String) {
        #expect(OrderID(text) == nil)
    }

    @Test("entered by an operator may have the hyphens of a UUID, only in their places")
    func given() throws {
        let order = try #require(OrderID(text))
        #expect(OrderID(given: text) == order && OrderID(given: "0198f3a2-b4c5-7d6e-8f90-1a2b3c4d5e6f") == order)
        for other in [
            "0198f3a2b4c5-7d6e-8f90-1a2b3c4d5e6f", "0198f3a-2b4c5-7d6e-8f90-1a2b3c4d5e6f", text + "-", "----", "",
        ] {
            #expect(OrderID(given: other) == nil, "\(other)")
        }
    }

    @Test("made from the time are UUIDs of version 7 that sort by time")
    func version7() throws {
        let zeros = [UInt8](repeating: 0, count: 10)
        let ones = [UInt8](repeating: 0xff, count: 10)
        let early = OrderID(time: Timestamp(microseconds: 1_000_000), randomness: ones)
        let late = OrderID(time: Timestamp(microseconds: 1_001_000), randomness: zeros)
        #expect(early.description == "0000000003e87fffbfffffffffffffff")
        #expect(late.description == "0000000003e970008000000000000000")
        #expect(early < late)
    }

    @Test("made from a hash are UUIDs of version 8")
    func version8() {
        #expect(PaymentID(hash: [UInt8](repeating: 0xff, count: 32)).description == "ffffffffffff8fffbfffffffffffffff")
        #expect(PaymentID(hash: [UInt8](repeating: 0, count: 32)).description == "00000000000080008000000000000000")
    }

    @Test("of a payment do not depend on the case of Apple's transaction id, but on the merchant")
    func payment() throws {
        let merchant = try #require(MerchantID(text))
        let other = try #require(MerchantID(String(text.reversed())))
        let lower = PaymentID(merchant: merchant, transactionID: "ab12")
        #expect(lower == PaymentID(merchant: merchant, transactionID: "AB12"))
        #expect(lower != PaymentID(merchant: other, transactionID: "ab12"))
        // Golden: an identifier that is derived must never change, or an old token becomes a new payment.
        #expect(lower.description == "38022933a96588a891ecbe023cd21ee1")
    }

    @Test("of events differ by transition, type and subject")
    func event() throws {
        let order = try #require(OrderID(text))
        let first = EventID(of: order, transition: 1, type: "a")
        #expect(first == EventID(of: order, transition: 1, type: "a"))
        #expect(first != EventID(of: order, transition: 2, type: "a"))
        #expect(first != EventID(of: order, transition: 1, type: "b"))
    }

    @Test("join their fields without ambiguity")
    func lengths() {
        func joined(_ fields: [[UInt8]]) -> [UInt8] {
            var joined = LengthPrefixed()
            for field in fields { joined.append(field) }
            return joined.bytes
        }
        #expect(joined([[1], [2, 3]]) == [0, 0, 0, 1, 1, 0, 0, 0, 2, 2, 3])
        #expect(joined([[1, 2], [3]]) != joined([[1], [2, 3]]))
        var texts = LengthPrefixed()
        texts.append("é")
        texts.append(Int64(-2))
        #expect(texts.bytes == joined([[0xC3, 0xA9], [255, 255, 255, 255, 255, 255, 255, 254]]))
    }
}
