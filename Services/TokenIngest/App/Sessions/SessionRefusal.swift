import OrchardHTTPTypes
import OrchardJSON

/// Why a page gets no merchant session. Nothing of Apple's answer but its status is repeated.
struct SessionRefusal: Error, Hashable, Sendable {
    /// Where the request ended.
    enum Stage: String, Sendable {
        case origin, validationURL, identity, apple

        /// Whether the page asked for what it may not have; else somebody must look.
        var isOfPage: Bool { self == .origin || self == .validationURL }
        var outcome: SessionMetrics.Outcome {
            switch self {
            case .origin: .origin
            case .validationURL: .validationURL
            case .identity: .identity
            case .apple: .apple
            }
        }
    }

    let status: HTTPStatus
    let code: String
    let stage: Stage
    let reason: String
    /// What to do.
    let message: String
    /// The status of Apple's answer, if there was one.
    var appleStatus: Int?

    private init(
        _ status: HTTPStatus, code: String, _ stage: Stage, _ reason: String, _ message: String,
        appleStatus: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.stage = stage
        self.reason = reason
        self.message = message
        self.appleStatus = appleStatus
    }

    static let originMissing = SessionRefusal(
        .forbidden, code: "origin-refused", .origin, "originMissing",
        "only a page may ask for a session; a browser sends its Origin by itself")
    static let originForeign = SessionRefusal(
        .forbidden, code: "origin-refused", .origin, "originForeign",
        "the page's origin is not among the origins of the ticket's merchant in merchants.json")

    static func wrongURL(_ reason: String, _ what: String) -> SessionRefusal {
        SessionRefusal(
            .unprocessableContent, code: "session-rejected", .validationURL, reason,
            "validationURL \(what); send the one of Apple's event unchanged")
    }

    static let identityMissing = SessionRefusal(
        .serviceUnavailable, code: "session-unavailable", .identity, "identityMissing",
        "the merchant has no Merchant Identity certificate; name one in applePay.identities of merchants.json")
    static let identityExpired = SessionRefusal(
        .serviceUnavailable, code: "session-unavailable", .identity, "identityExpired",
        "no Merchant Identity certificate of the merchant is valid now; renew it: token-ingest keys csr --use identity")

    static func refused(_ status: HTTPStatus) -> SessionRefusal {
        apple(
            .badGateway, "refused",
            "Apple gave no session; are merchant identifier, certificate and domain registered?", status)
    }
    static func redirected(_ status: HTTPStatus) -> SessionRefusal {
        apple(.badGateway, "redirected", "the server named another address, which is not followed", status)
    }
    static let answerMalformed = apple(.badGateway, "answerMalformed", "what came is no session")
    static let answerTooLarge = apple(.badGateway, "answerTooLarge", "the answer is larger than any session")
    static let unreachable = apple(.badGateway, "unreachable", "Apple's server cannot be reached; try again")
    static let timedOut = apple(.gatewayTimeout, "timedOut", "Apple's server did not answer in time; try again")

    private static func apple(
        _ status: HTTPStatus, _ reason: String, _ message: String, _ appleStatus: HTTPStatus? = nil
    ) -> SessionRefusal {
        SessionRefusal(status, code: "session-failed", .apple, reason, message, appleStatus: appleStatus?.code)
    }

    var problem: Problem {
        var members: [String: Problem.Member] = ["stage": .string(stage.rawValue), "reason": .string(reason)]
        members["appleStatus"] = appleStatus.map { .integer(Int64($0)) }
        return Problem(status, code: code, detail: message, members: members)
    }
}

extension Problem {
    static let sessionMerchantMissing = Problem(
        .serviceUnavailable, code: "merchant-missing",
        detail: "this worker does not know the merchant yet; repeat the request in a moment",
        fields: ["Retry-After": "2"])

    static let sessionsBusy = Problem(
        .serviceUnavailable, code: "busy", detail: "too many sessions are asked for; try again in a moment",
        fields: ["Retry-After": "2"])
}
