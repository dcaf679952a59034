import OrchardCrypto
import OrchardJSON

/// A command of order-ledger as it travels: a compact JWS (ES256), so that nobody else can give one.
///
/// Its value on the topic is `{"jws": "…"}`.
public struct SignedCommand: Hashable, Sendable {
    /// The `typ` of the JWS header: no ticket is ever taken for a command, and no command for a ticket.
    public static let type = "orchard-command+jwt"
    /// A signed command is never larger.
    static let maximumSize = 2_048

    public let jws: String
    /// What it says; believe it when ``CommandVerifier`` does.
    public let claims: CancelRequested

    init(jws: String, claims: CancelRequested) {
        self.jws = jws
        self.claims = claims
    }
}

extension SignedCommand: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var jws: String?
        try reader.object { reader, name throws(JSONError) in
            if name == "jws" { jws = try reader.compactForm() } else { try reader.skip() }
        }
        let text = try reader.required(jws, "jws")
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumSize, parts.count == 3, let claims = Base64.decodeURL(String(parts[1]))
        else { throw reader.error(.value, "a compact JWS of at most \(Self.maximumSize) bytes is expected") }
        self.init(jws: text, claims: try CancelRequested(parsing: claims))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("jws", jws)
    }
}
