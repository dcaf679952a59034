/// An error shown to a client as `application/problem+json` (RFC 9457).
///
/// Handlers throw it. Title and detail tell what to do and never repeat what the client sent as a secret.
public struct Problem: Error, Hashable, Sendable {
    /// The value of an extension member (RFC 9457 §3.2).
    public enum Member: Hashable, Sendable {
        case string(String)
        case integer(Int64)
        case boolean(Bool)
        case array([Member])
        case object([String: Member])
    }

    public var status: HTTPStatus
    /// The stable name of this kind of problem, for programs; it also makes the type `urn:orchard:problem:CODE`.
    public var code: String
    /// A short summary of the kind, the same each time; the reason phrase of the status when nil.
    public var title: String?
    /// What happened this time and what the client can do about it.
    public var detail: String?
    /// A URI reference that names this occurrence.
    public var instance: String?
    /// Further members, for example `outcome` or `payment_id`.
    public var members: [String: Member]
    /// Fields that go with the answer, for example `Retry-After`.
    public var fields: HTTPFields

    public init(
        _ status: HTTPStatus, code: String, title: String? = nil, detail: String? = nil, instance: String? = nil,
        members: [String: Member] = [:], fields: HTTPFields = [:]
    ) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
        self.instance = instance
        self.members = members
        self.fields = fields
    }

    /// The URI of the kind.
    public var type: String { "urn:orchard:problem:\(code)" }

    /// The document: members in the order of their names, no blanks.
    public var json: [UInt8] {
        var all = members
        all["type"] = .string(type)
        all["title"] = .string(title ?? status.reason)
        all["status"] = .integer(Int64(status.code))
        all["code"] = .string(code)
        all["detail"] = detail.map(Member.string)
        all["instance"] = instance.map(Member.string)
        var text = ""
        Member.object(all).write(to: &text)
        return Array(text.utf8)
    }
}

extension Problem.Member: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}

extension Problem.Member: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Self...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, Self)...) {
        self = .object(Dictionary(elements) { first, _ in first })
    }
}

extension Problem.Member {
    fileprivate func write(to text: inout String) {
        switch self {
        case .string(let value): Self.write(value, to: &text)
        case .integer(let value): text += String(value)
        case .boolean(let value): text += value ? "true" : "false"
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += "," }
                element.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text += "," }
                Self.write(member.key, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
