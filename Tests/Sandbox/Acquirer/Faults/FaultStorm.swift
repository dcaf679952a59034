import OrchardJSON

/// Faults by chance, which hangs on the seed and the transaction alone: the same requests meet the same faults. Its form is
/// that of the independent acquirer's storm.
struct FaultStorm: Sendable {
    private let seed: Int64
    private let kinds: Set<TransactionKind>
    /// With their probabilities.
    private let faults: [(fault: Fault, probability: Double)]
    private let queries: [(failure: Fault.QueryFailure, probability: Double)]

    /// Reads `{"seed": 7, "txnTypes": ["01"], "faults": {"lost_answer": 0.01}, "query": {"drop": 0.01, "37": 0.01}}`.
    init(_ body: JSONValue) throws(ControlError) {
        seed = body["seed"]?.integer ?? 0
        var kinds: Set<TransactionKind> = []
        for type in body["txnTypes"]?.array ?? ["01", "02", "04"] {
            guard let kind = type.string.flatMap({ TransactionKind(rawValue: $0) }) else {
                throw ControlError("txnTypes has no such value")
            }
            kinds.insert(kind)
        }
        var faults: [(Fault, Double)] = []
        for (name, chance) in try Self.chances(body, "faults") {
            guard let fault = FaultTable.fault(named: name) else {
                throw ControlError("\(name) is not the name of a scripted behaviour")
            }
            faults.append((fault, chance))
        }
        var queries: [(Fault.QueryFailure, Double)] = []
        for (name, chance) in try Self.chances(body, "query") {
            guard let failure = Self.queryFailures[name] else { throw ControlError("no query fails with \(name)") }
            queries.append((failure, chance))
        }
        (self.kinds, self.faults, self.queries) = (kinds, faults, queries)
    }

    /// The fault of a request; none for most.
    func fault(of request: TransactionRequest) -> Fault {
        guard kinds.contains(request.kind) else { return .none }
        let key = request.key
        return draw(faults, "\(key.merchant)|\(key.orderID)|\(key.time)|\(request.kind.rawValue)") ?? .none
    }

    /// How a query of a transaction fails, of which there were so many before; nil for most.
    func failure(ofQuery number: Int, of queryID: String) -> Fault.QueryFailure? {
        draw(queries, "\(queryID)|\(number)")
    }

    private func draw<Choice>(_ table: [(Choice, probability: Double)], _ key: String) -> Choice? {
        var left = Self.chance("\(seed)|\(key)")
        for (choice, probability) in table {
            left -= probability
            if left < 0 { return choice }
        }
        return nil
    }

    /// A number from 0 up to 1: FNV-1a, mixed.
    private static func chance(_ text: String) -> Double {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
        hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
        return Double((hash ^ (hash >> 31)) >> 11) / Double(1 << 53)
    }

    private static let queryFailures: [String: Fault.QueryFailure] = [
        "http500": .style(.http500), "http502": .style(.http502), "drop": .style(.drop), "html": .style(.html),
        "empty": .style(.empty), "cut": .style(.cut), "badsig": .style(.badSignature), "37": .code(.tooManyQueries),
    ]

    private static func chances(
        _ body: JSONValue, _ table: String
    ) throws(ControlError) -> [(name: String, chance: Double)] {
        var chances: [(String, Double)] = []
        for member in body[table]?.members ?? [] {
            let text = String(decoding: member.value.bytes, as: UTF8.self)
            guard let chance = Double(text), (0...1).contains(chance) else {
                throw ControlError("\(table).\(member.name) is no probability")
            }
            chances.append((member.name, chance))
        }
        return chances
    }
}
