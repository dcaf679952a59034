import Contracts
import Foundation
import OrchardJSON
import Outbox
import TestSupport
import Testing

private let schemaOfAsyncAPI = Checkout.root.appending(path: "../shared/types/asyncapi-3.0.0.schema.json")
    .standardizedFileURL.path

/// What the descriptions of the interfaces name is what the code has, and the other way round.
@Suite("docs/openapi and docs/asyncapi.yaml", .enabled(if: Descriptions.canBeRead))
struct InterfaceTests {
    private static let services = ["token-ingest", "charge-gateway", "order-ledger"]

    @Test("have every topic with its settings")
    func topics() async throws {
        var described: [String: [String: String]] = [:]
        for channel in try await Descriptions.document("asyncapi.yaml")["channels"]?.members ?? [] {
            let kafka = channel.value["bindings"]?["kafka"]
            let settings = (kafka?["topicConfiguration"]?.members ?? []).map { ($0.name, Self.text($0.value)) }
            let address = try #require(channel.value["address"]?.string)
            #expect(kafka?["topic"]?.string == address)
            described[address] = Dictionary(uniqueKeysWithValues: settings)
        }
        #expect(described == Dictionary(uniqueKeysWithValues: Topic.all.map { ($0.name, $0.settings) }))
    }

    private static func text(_ value: JSONValue) -> String {
        value.string ?? value.integer.map { "\($0)" } ?? (value.array ?? []).map(text).joined(separator: ",")
    }

    @Test("have every type of record on its topic")
    func types() async throws {
        let known: [Topic: [String]] = [
            .charges: CommandType.allCases.map(\.rawValue), .charges.deadLetters: [DeadLetter.type],
            .journal: FactType.all.map(\.text), .journal.deadLetters: [DeadLetter.type],
            .attempts: [PaymentRejected.type], .contacts: [ContactReceived.type], .erasures: [ContactErased.type],
        ]
        let channels = try await Descriptions.document("asyncapi.yaml")["channels"]?.members ?? []
        for topic in Topic.all {
            let channel = channels.first { $0.value["address"]?.string == topic.name }?.value
            let names = channel?["messages"]?.members?.compactMap { $0.value["name"]?.string } ?? []
            #expect(try names.sorted() == #require(known[topic]).sorted(), "\(topic.name)")
        }
    }

    @Test("have every header of a record")
    func recordHeaders() async throws {
        let schemas = try await Descriptions.document("asyncapi.yaml")["components"]?["schemas"]
        let described = ["NumberedHeaders", "DeadLetterHeaders"].flatMap {
            schemas?[$0]?["properties"]?.members?.map(\.name) ?? []
        }
        var known: Set<String> = []
        for (_, text) in try Checkout.sources(below: ["Shared/Contracts/Events", "Shared/Outbox"]) {
            known.formUnion(
                text.matches(of: #/"((?:ce|deadletter)_[a-z]+|traceparent|content-type)"/#).map {
                    String($0.output.1)
                })
        }
        #expect(known == Set(described))
    }

    @Test("have every word that programs decide by", arguments: DescribedWords.all)
    func words(described: DescribedWords) async throws {
        let schemas = try await Descriptions.document(described.document)["components"]?["schemas"]
        let words = described.place.split(separator: "/").reduce(schemas) { $0?[String($1)] }?["enum"]?.array
        #expect(words?.compactMap(\.string).sorted() == described.words.sorted())
    }

    @Test("have every reason and stage of a rejection")
    func rejections() async throws {
        let rejected = try await Descriptions.document("openapi/token-ingest.yaml")["components"]?["schemas"]?[
            "Rejected"]
        let source = try String(
            contentsOf: Checkout.root.appending(path: "Services/TokenIngest/App/Payments/PaymentRejection.swift"),
            encoding: .utf8)
        let reasons = source.matches(of: #/"([a-z]+[A-Z][A-Za-z]+)"/#).map { String($0.output.1) }
        let described = rejected?["properties"]?["reason"]?["enum"]?.array?.compactMap(\.string) ?? []
        #expect(Set(reasons).subtracting(["applicationData", "cardType"]) == Set(described))
    }

    @Test("have every code of a problem")
    func problems() async throws {
        var described: Set<String> = []
        for service in Self.services {
            try await Self.collect(Descriptions.document("openapi/\(service).yaml"), into: &described)
        }
        var known: Set<String> = []
        let folders = ["TokenIngest", "ChargeGateway", "OrderLedger"].map { "Services/\($0)/App" }
        for (_, text) in try Checkout.sources(below: folders + ["Shared/HTTP/Server", "Shared/HTTP/Types"])
        where text.contains("Problem") {
            for match in text.matches(
                of: #/code: (?:String = )?(?:[^"\n]+ \? )?"([a-z]+(?:-[a-z]+)*)"(?: : "([a-z-]+)")?/#)
            {
                known.formUnion([match.output.1, match.output.2].compactMap { $0.map(String.init) })
            }
        }
        #expect(known.count > 30)
        // Answers to what is no operation.
        #expect(known.subtracting(["method-not-allowed"]) == described)
    }

    /// The codes that schemas of problems allow.
    private static func collect(_ value: JSONValue, into codes: inout Set<String>) {
        if let code = value["properties"]?["code"], value["properties"]?["instance"] != nil {
            codes.formUnion(code["const"]?.string.map { [$0] } ?? code["enum"]?.array?.compactMap(\.string) ?? [])
        }
        for child in value.members?.map(\.value) ?? value.array ?? [] { collect(child, into: &codes) }
    }

    @Test("have every header of a request and an answer")
    func headers() async throws {
        var described: Set<String> = []
        for service in Self.services {
            let document = try await Descriptions.document("openapi/\(service).yaml")
            Self.headers(document, &described)
        }
        var known: Set<String> = []
        let folders = [
            "Services/TokenIngest/App/Payments", "Services/ChargeGateway/App/Acquirers", "Services/OrderLedger/App/API",
        ]
        for (_, text) in try Checkout.sources(below: folders + ["Shared/HTTP/Server", "Shared/HTTP/Types"]) {
            let names = text.matches(
                of:
                    #/(?:fields\[|fields\.values\(|fields: \[|line: )"([A-Z][A-Za-z-]*|traceparent)"|\("([A-Z][A-Za-z-]*)",/#
            )
            known.formUnion(names.compactMap { ($0.output.1 ?? $0.output.2).map(String.init) })
        }
        // HTTP's own, which are no part of an interface.
        let own = [
            "Allow", "Authorization", "Connection", "Content-Length", "Content-Type", "Date", "Expect", "Host",
            "Transfer-Encoding",
        ]
        #expect(known.subtracting(own) == described)
    }

    private static func headers(_ value: JSONValue, _ names: inout Set<String>) {
        // An answer has a description; components have names of their own.
        if value["description"] != nil { names.formUnion(value["headers"]?.members?.map(\.name) ?? []) }
        if value["in"]?.string == "header", let name = value["name"]?.string { names.insert(name) }
        for child in value.members?.map(\.value) ?? value.array ?? [] { headers(child, &names) }
    }

    @Test(
        "docs/asyncapi.yaml is a document of AsyncAPI 3.0",
        .enabled(
            if: FileManager.default.fileExists(atPath: schemaOfAsyncAPI), "AsyncAPI's schema is not beside the checkout"
        ))
    func asyncAPI() async throws {
        #expect(try await Descriptions.validateAsyncAPI(schemaOfAsyncAPI) == "")
    }
}
