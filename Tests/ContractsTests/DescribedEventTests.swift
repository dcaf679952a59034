import OrchardCrypto
import OrchardJSON
import TestSupport
import Testing

@testable import Contracts

@Suite("docs/asyncapi.yaml", .enabled(if: Descriptions.canBeRead))
struct DescribedEventTests {
    private func fault(of event: CloudEvent, on topic: Topic) async throws -> String {
        try await Descriptions.fault(
            ofRecord: event.data, key: event.key, headers: event.headers, on: topic.name)
    }

    /// The event as an outbox sends it.
    private func numbered(_ event: CloudEvent, by source: EventSource) -> CloudEvent {
        CloudEvent(
            id: event.id, type: event.type, source: event.source, time: event.time, subject: event.subject,
            causation: event.causation, traceparent: event.traceparent,
            stream: CloudEvent.Position(stream: source.stream, sequence: 1), data: event.data)
    }

    @Test("describes each fact", arguments: Samples.facts)
    func facts(fact: Fact) async throws {
        let event = CloudEvent(fact, source: fact.source.rawValue, time: Samples.time, causation: fact.id)
        #expect(try await fault(of: numbered(event, by: fact.source), on: .journal) == "")
        #expect(try await fault(of: event, on: .journal).contains("ce_stream"), "a fact has its number")
        #expect(try await !fault(of: numbered(event, by: fact.source), on: .charges).isEmpty)
    }

    @Test("describes the programs that send a fact", arguments: Samples.facts)
    func sources(fact: Fact) async throws {
        for source in EventSource.allCases where source != fact.source {
            let event = CloudEvent(fact, source: source.rawValue, time: Samples.time)
            let fault = try await fault(of: numbered(event, by: source), on: .journal)
            #expect(!fault.isEmpty, "\(source.rawValue) does not send \(fact.type)")
        }
    }

    @Test("has a sample of each fact")
    func samples() {
        #expect(Set(Samples.facts.map(\.type)) == Set(FactType.all.map(\.text)))
    }

    @Test("describes the commands and what stands beside the books")
    func others() async throws {
        let signer = CommandSigner(keyID: "k", key: try P256PrivateKey.generate())
        let charge = CloudEvent(
            .charge(Samples.charge()), source: EventSource.tokenIngest.rawValue, time: Samples.time,
            traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        #expect(try await fault(of: charge, on: .charges) == "")
        for reason in OrderClosed.Reason.allCases {
            let command = CloseRequested(
                reason, command: Samples.command, order: Samples.order, merchant: Samples.merchant, partitions: 12)
            let event = CloudEvent(
                .signed(try signer.sign(.close(command))), source: EventSource.orderLedger.rawValue, time: Samples.time)
            #expect(try await fault(of: numbered(event, by: .orderLedger), on: .charges) == "")
        }
        for kind in FollowUpKind.allCases {
            let event = CloudEvent(
                .signed(try signer.sign(.followUp(FollowUpSamples.requested(kind)))),
                source: EventSource.orderLedger.rawValue, time: Samples.time)
            #expect(try await fault(of: numbered(event, by: .orderLedger), on: .charges) == "")
        }
        let rejected = CloudEvent(
            Samples.rejected, source: EventSource.tokenIngest.rawValue, time: Samples.time)
        #expect(try await fault(of: rejected, on: .attempts) == "")
        let contact = ContactReceived(
            order: Samples.order, merchant: Samples.merchant, payment: Samples.payment, sealedContact: "a..b.c.d")
        let received = CloudEvent(contact, source: EventSource.tokenIngest.rawValue, time: Samples.time)
        #expect(try await fault(of: received, on: .contacts) == "")
        let erasure = ContactErased(order: Samples.order, merchant: Samples.merchant)
        let erased = CloudEvent(erasure, source: EventSource.orderLedger.rawValue, time: Samples.time)
        #expect(try await fault(of: numbered(erased, by: .orderLedger), on: .erasures) == "")
    }

    @Test("describes the claims of a signed command")
    func claims() async throws {
        let described = try await Descriptions.document("asyncapi.yaml")
        let properties = described["components"]?["schemas"]?["CloseRequested"]?["properties"]?.members?.map(\.name)
        let claims = try JSONValue(parsing: Samples.cancel.json)
        #expect(properties == claims.members?.map(\.name))
        let followUp = described["components"]?["schemas"]?["FollowUpRequested"]?["properties"]?.members?.map(\.name)
        let whole = try JSONValue(
            parsing: FollowUpSamples.requested(.refund, parts: Samples.offer().totals).json)
        #expect(followUp == whole.members?.map(\.name))
    }
}
