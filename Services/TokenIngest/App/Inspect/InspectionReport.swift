import ApplePayToken
import Contracts
import Foundation
import OrchardJSON

/// What `inspect` prints, and its exit status.
struct InspectionReport: Sendable {
    let status: Int32
    let json: JSONValue

    init(accepted facts: TokenFacts, stage: TokenStage, payload: JSONValue?) {
        status = 0
        json = Self.json("accept", stage, nil, facts, payload)
    }

    init(rejected error: TokenError) {
        status = 1
        json = Self.json("reject", error.stage, error.reason, error.facts, nil)
    }

    /// The object on several lines, for an operator to read; members sorted.
    var text: String {
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let object = try? JSONSerialization.jsonObject(with: Data(json.bytes)),
            let data = try? JSONSerialization.data(withJSONObject: object, options: options)
        else { return String(decoding: json.bytes, as: UTF8.self) + "\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func json(
        _ verdict: String, _ stage: TokenStage, _ reason: String?, _ facts: TokenFacts, _ payload: JSONValue?
    ) -> JSONValue {
        .object([
            "verdict": .string(verdict), "stage": .string(stage.rawValue), "reason": text(reason),
            "version": text(facts.version), "signedAt": text(facts.signedAt.map { Timestamp(seconds: $0).description }),
            "leaf": text(facts.leaf), "transactionId": text(facts.transactionID), "payload": payload ?? .null,
        ])
    }

    private static func text(_ text: String?) -> JSONValue {
        text.map(JSONValue.string) ?? .null
    }
}
