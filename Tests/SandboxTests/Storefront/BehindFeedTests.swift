import Contracts
import KafkaBridge
import OrchardHTTPTypes
import OrchardJSON
import Testing

@testable import SandboxDemo

@Suite("What happens behind, as server-sent events")
struct BehindFeedTests {
    private let feed = BehindFeed()
    private let first = OrderID(high: 1, low: 1)
    private let second = OrderID(high: 2, low: 2)

    private func event(_ order: OrderID, _ text: String = "It happened.") -> BehindEvent {
        BehindEvent(
            program: .orderLedger, kind: "order.opened", source: "orchard.journal.v1", order: order, payment: nil,
            time: Timestamp(seconds: 1_795_244_602), text: text)
    }

    private func answer(after id: String? = nil, _ query: String = "", longestWait: Duration = .zero) async throws
        -> String
    {
        var request = HTTPRequest(method: .get, target: "/api/behind\(query)")
        request.fields["Last-Event-ID"] = id
        let answer = try await BehindStream(feed: feed, longestWait: longestWait).answer(request)
        #expect(answer.fields["Content-Type"] == "text/event-stream; charset=utf-8")
        #expect(answer.fields["Cache-Control"] == "no-store")
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test("each event is one line of JSON with an id, and the browser is told to ask again at once")
    func format() async throws {
        feed.append([event(first, "A line\nand <b>another</b>.\r\n")])
        #expect(
            try await answer() == """
                retry: 50

                id: \(feed.run)-1
                data: {"data":{},"kind":"order.opened","order":"\(first)","program":"order-ledger",\
                "source":"orchard.journal.v1","text":"A line\\nand <b>another</b>.\\r\\n","time":"2026-11-21T07:03:22Z"}


                """)
    }

    @Test("a browser that comes back gets what it has not seen, and all of it after a restart of the shop")
    func resume() async throws {
        feed.append((1...5).map { event(first, "number \($0)") })
        #expect(try await ids(answer()) == [1, 2, 3, 4, 5])
        #expect(try await ids(answer(after: "\(feed.run)-3")) == [4, 5])
        #expect(try await answer(after: "\(feed.run)-5") == "retry: 50\n\n: nothing new\n\n")
        for foreign in ["00000000-3", "3", "", "\(feed.run)--3", "\(feed.run)-x", "\(feed.run)-3-4"] {
            #expect(try await ids(answer(after: foreign)) == [1, 2, 3, 4, 5], "\(foreign)")
        }
    }

    @Test("one order's window gets that order's events; what is no order is refused")
    func filter() async throws {
        feed.append([event(first), event(second), event(first)])
        #expect(try await ids(answer("?order=\(first)")) == [1, 3])
        #expect(try await ids(answer(after: "\(feed.run)-1", "?order=\(first)")) == [3])
        let problem = await #expect(throws: Problem.self) { try await answer("?order=x") }
        #expect(problem?.code == "invalid-order")
    }

    @Test("a window waits, and gets the next event as soon as it comes")
    func waiting() async throws {
        async let text = answer(longestWait: .seconds(600))
        while !feed.isShown { await Task.yield() }
        feed.append([event(second)])
        #expect(try await ids(text) == [1])
    }

    @Test("so many events are kept, and so many windows may wait")
    func bounds() async throws {
        for _ in 0..<6 { feed.append((0..<1_000).map { _ in event(first) }) }
        let oldest = feed.events(after: 0, of: nil)
        #expect(oldest.first?.number == 6_000 - BehindFeed.capacity + 1)
        #expect(oldest.count == BehindFeed.batch)

        await withTaskGroup(of: String?.self) { group in
            for _ in 0...BehindFeed.maximumListeners {
                group.addTask {
                    do {
                        _ = try await feed.wait(after: 6_000, of: nil, for: .seconds(600))
                        return nil
                    } catch { return (error as? Problem)?.code ?? "cancelled" }
                }
            }
            // The one that is too many ends; the others wait.
            #expect(await group.next() == "too-many-listeners")
            group.cancelAll()
            for await code in group { #expect(code == "cancelled") }
        }
        // They are forgotten.
        #expect(try await feed.wait(after: 0, of: nil, for: .zero).count == BehindFeed.batch)
    }

    @Test("a record is told without its ticket, its card and what is sealed")
    func secrets() throws {
        let value: JSONValue = [
            "orderId": .string("\(first)"), "paymentId": .string("\(PaymentID(high: 3, low: 3))"),
            "ticket": "SECRET", "sealedCard": "SECRET", "sealedContact": "SECRET",
            "card": ["lastFour": "SECRET", "network": "visa"], "acquirer": ["orderNumber": "SECRET"],
            "signedAt": "SECRET", "amount": ["currency": "CNY", "minorUnits": 9_950],
        ]
        for type in ["orchard.charge.requested.v1", "orchard.payment.succeeded.v1", "orchard.contact.received.v1"] {
            let record = CloudEvent(
                id: EventID(high: 4, low: 4), type: type, source: "/charge-gateway",
                time: Timestamp(seconds: 1_795_244_602), subject: first, data: value.bytes)
            let event = try #require(
                TopicReader.event(
                    KafkaRecord(
                        topicPartition: TopicPartition("orchard.journal.v1", 0), offset: 0, timestamp: 0, key: nil,
                        value: record.data,
                        headers: record.headers.map { KafkaHeader($0.name, Array($0.value.utf8)) })))
            let text = String(decoding: event.json.bytes, as: UTF8.self)
            #expect(!text.contains("SECRET"), "\(text)")
            #expect(event.order == first)
            #expect(event.payment == PaymentID(high: 3, low: 3))
            #expect(event.data["amount"]?["minorUnits"] == 9_950)
        }
    }

    @Test("a record that no program of ours wrote is left out")
    func strangers() {
        let record = KafkaRecord(
            topicPartition: TopicPartition("orchard.journal.v1", 0), offset: 0, timestamp: 0, key: nil,
            value: Array("{}".utf8), headers: [])
        #expect(TopicReader.event(record) == nil)
    }

    private func ids(_ text: String) -> [Int] {
        text.matches(of: #/id: \w+-(\d+)\n/#).compactMap { Int($0.output.1) }
    }
}
