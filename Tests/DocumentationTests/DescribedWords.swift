import Contracts

/// Words that programs decide by, and where they are described. Add a line for an enumeration of the contract.
struct DescribedWords: Sendable, CustomStringConvertible {
    /// Relative to `docs`.
    let document: String
    /// Of the schema, from the document's schemas on.
    let place: String
    let words: [String]

    var description: String { "\(document) \(place)" }

    private init<Word: RawRepresentable<String>>(_ document: String, _ place: String, _ words: [Word]) {
        self.document = document
        self.place = place
        self.words = words.map(\.rawValue)
    }

    static let all = [
        DescribedWords("openapi/shared.yaml", "CardNetwork", CardNetwork.allCases),
        DescribedWords("openapi/shared.yaml", "CardType", CardType.allCases),
        DescribedWords("openapi/shared.yaml", "Problem/properties/scope", APIKey.Scope.allCases),
        DescribedWords("openapi/shared.yaml", "SheetError/properties/code", SheetError.Code.allCases),
        DescribedWords("openapi/shared.yaml", "SheetError/properties/contactField", PaymentContact.Field.allCases),
        DescribedWords("openapi/shared.yaml", "SheetResult/properties/status", SheetResult.Status.allCases),
        DescribedWords("openapi/order-ledger.yaml", "CommandRejection", CommandRejected.Reason.allCases),
        DescribedWords("openapi/order-ledger.yaml", "FollowUp/properties/kind", FollowUpKind.allCases),
        DescribedWords("openapi/order-ledger.yaml", "FollowUpFailure", FollowUpEvent.FailureReason.allCases),
        DescribedWords(
            "openapi/order-ledger.yaml", "OrderRequest/properties/captureMode", OrderTicket.CaptureMode.allCases),
        DescribedWords("openapi/order-ledger.yaml", "ContactFields/items", ContactField.allCases),
        DescribedWords("openapi/order-ledger.yaml", "Language", SheetLanguage.allCases),
        DescribedWords(
            "openapi/order-ledger.yaml", "OrderRequest/properties/environment", AcquirerRoute.Environment.allCases),
        DescribedWords("asyncapi.yaml", "Card/properties/paymentData", PaymentDataType.allCases),
        DescribedWords("asyncapi.yaml", "CommandRejected/properties/reason", CommandRejected.Reason.allCases),
        DescribedWords("asyncapi.yaml", "EventHeaders/properties/ce_source", EventSource.allCases),
        DescribedWords("asyncapi.yaml", "OperationResolved/properties/outcome", Resolution.Outcome.allCases),
        DescribedWords("asyncapi.yaml", "OrderClosed/properties/reason", OrderClosed.Reason.allCases),
        DescribedWords("asyncapi.yaml", "PaymentDeclined/properties/reason", DeclineReason.allCases),
        DescribedWords("asyncapi.yaml", "PaymentRefused/properties/reason", RefusalReason.allCases),
    ]
}
