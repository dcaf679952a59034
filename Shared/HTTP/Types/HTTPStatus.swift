/// A status code (RFC 9110 §15) with its reason phrase.
public struct HTTPStatus: Hashable, Sendable, CustomStringConvertible {
    /// The three digits of the status line.
    public let code: Int

    /// A status by its code.
    public init(code: Int) { self.code = code }

    public static let `continue` = Self(code: 100)
    public static let ok = Self(code: 200)
    public static let created = Self(code: 201)
    public static let accepted = Self(code: 202)
    public static let noContent = Self(code: 204)
    public static let notModified = Self(code: 304)
    public static let badRequest = Self(code: 400)
    public static let unauthorized = Self(code: 401)
    public static let paymentRequired = Self(code: 402)
    public static let forbidden = Self(code: 403)
    public static let notFound = Self(code: 404)
    public static let methodNotAllowed = Self(code: 405)
    public static let notAcceptable = Self(code: 406)
    public static let requestTimeout = Self(code: 408)
    public static let conflict = Self(code: 409)
    public static let gone = Self(code: 410)
    public static let lengthRequired = Self(code: 411)
    public static let preconditionFailed = Self(code: 412)
    public static let contentTooLarge = Self(code: 413)
    public static let uriTooLong = Self(code: 414)
    public static let unsupportedMediaType = Self(code: 415)
    public static let expectationFailed = Self(code: 417)
    public static let misdirectedRequest = Self(code: 421)
    public static let unprocessableContent = Self(code: 422)
    public static let tooManyRequests = Self(code: 429)
    public static let requestHeaderFieldsTooLarge = Self(code: 431)
    public static let internalServerError = Self(code: 500)
    public static let notImplemented = Self(code: 501)
    public static let badGateway = Self(code: 502)
    public static let serviceUnavailable = Self(code: 503)
    public static let gatewayTimeout = Self(code: 504)
    public static let httpVersionNotSupported = Self(code: 505)

    /// Whether an answer of this status never has a body (RFC 9110 §6.4.1).
    public var forbidsBody: Bool { code < 200 || code == 204 || code == 304 }

    /// The phrase of RFC 9110; "Status" for a code it does not name.
    public var reason: String {
        switch code {
        case 100: "Continue"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 402: "Payment Required"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }

    public var description: String { "\(code) \(reason)" }
}
