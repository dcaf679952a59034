import OrchardJSON

/// An error shown to a client as `application/problem+json` (RFC 9457).
///
/// Handlers throw it. Title and detail say what to do, and never repeat a secret that the client sent.
public struct Problem: Error, Hashable, Sendable {
    /// The value of an extension member.
    public typealias Member = JSONValue

    public var status: HTTPStatus
    /// The stable name of this kind of problem, for programs; it also makes the type `urn:orchard:problem:CODE`.
    public var code: String
    /// A short summary of the kind, the same each time; the reason phrase of the status when nil.
    public var title: String?
    /// What happened this time and what the client can do about it.
    public var detail: String?
    /// A URI reference that names this occurrence.
    public var instance: String?
    /// Further members (RFC 9457 §3.2), for example `outcome` or `paymentId`.
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

    /// The document, as canonical JSON.
    public var json: [UInt8] {
        var all = members
        all["type"] = .string(type)
        all["title"] = .string(title ?? status.reason)
        all["status"] = .integer(Int64(status.code))
        all["code"] = .string(code)
        all["detail"] = detail.map(JSONValue.string)
        all["instance"] = instance.map(JSONValue.string)
        var writer = JSONWriter()
        writer.value(.object(all.map { JSONMember($0.key, $0.value) }))
        return writer.bytes
    }
}
