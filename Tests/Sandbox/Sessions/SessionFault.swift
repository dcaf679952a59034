/// How the session server can misbehave.
public enum SessionFault: Sendable {
    /// It sends the asker elsewhere.
    case redirect(to: String)
    /// It takes the request and says nothing.
    case silence
    /// So many bytes of JSON.
    case huge(Int)
    /// A page instead of JSON.
    case page
    /// JSON that ends too early.
    case cut
    /// Any status with a body.
    case status(Int, String)

    /// The bytes of the answer; nil for none.
    var answer: [UInt8]? {
        switch self {
        case .redirect(let url): HTTPText.answer(302, "", ["Location: \(url)"])
        case .silence: nil
        case .huge(let count): HTTPText.answer(200, #"{"a":""# + String(repeating: "x", count: count) + #""}"#)
        case .page: HTTPText.answer(200, "<html>busy</html>", ["Content-Type: text/html"])
        case .cut: HTTPText.answer(200, #"{"nonce":"12"#)
        case .status(let status, let body): HTTPText.answer(status, body)
        }
    }
}

/// Writes answers of HTTP/1.1.
enum HTTPText {
    static func answer(_ status: Int, _ body: String, _ fields: [String] = ["Content-Type: application/json"])
        -> [UInt8]
    {
        let head = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.utf8.count)"] + fields
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
