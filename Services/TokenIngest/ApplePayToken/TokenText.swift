import OrchardJSON

/// The members of a token's JSON, with the right types but not yet decoded.
struct TokenText {
    var version: String?
    var data: String?
    var signature: String?
    var hasHeader = false
    var publicKeyHash: String?
    var transactionID: String?
    var applicationData: String?
    var ephemeralPublicKey: String?
    var wrappedKey: String?
    var paymentMethod: ClaimedPaymentMethod?
    var transactionIdentifier: String?

    /// A token has about fifteen members; there is room for those that Apple adds.
    private static let maximumValues = 512

    private static let simulator = """
        there is no payment data: tokens of Xcode's Simulator have none, so there is nothing to charge; use a device \
        with a sandbox account
        """

    /// Reads a whole `PKPaymentToken` or only its `paymentData`; unknown members are ignored.
    init(parsing bytes: [UInt8]) throws(InvalidToken) {
        guard !bytes.isEmpty else { throw InvalidToken(.parse, Self.simulator) }
        do throws(JSONError) {
            self = try JSONReader.read(bytes, maximumValues: Self.maximumValues) { reader throws(JSONError) in
                try TokenText(&reader)
            }
        } catch {
            throw InvalidToken(.parse, error.description)
        }
    }

    private init(_ reader: inout JSONReader) throws(JSONError) {
        var whole = TokenText()
        var inner: TokenText?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "paymentData": inner = try Self.paymentData(&reader)
            case "paymentMethod": whole.paymentMethod = try Self.paymentMethod(&reader)
            case "transactionIdentifier": whole.transactionIdentifier = try reader.string()
            default: try whole.read(name, &reader)
            }
        }
        guard var inner else {
            self = whole
            return
        }
        inner.paymentMethod = whole.paymentMethod
        inner.transactionIdentifier = whole.transactionIdentifier
        self = inner
    }

    private init() {}

    /// The inner object. The Simulator's is empty; apps send it as nothing, as an empty text or as an empty object.
    private static func paymentData(_ reader: inout JSONReader) throws(JSONError) -> TokenText {
        var text = TokenText()
        var isEmpty = true
        if reader.isNull() { throw reader.error(.value, simulator) }
        if try reader.kind() == .string {
            guard try reader.string().isEmpty else {
                throw reader.error(.type, "paymentData must be the JSON object itself, not a string of it")
            }
        } else {
            try reader.object { reader, name throws(JSONError) in
                isEmpty = false
                try text.read(name, &reader)
            }
        }
        if isEmpty { throw reader.error(.value, simulator) }
        return text
    }

    private mutating func read(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) {
        switch name {
        case "version": version = try reader.string()
        case "data": data = try reader.string()
        case "signature": signature = try reader.string()
        case "header":
            hasHeader = true
            var header = self
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "publicKeyHash": header.publicKeyHash = try reader.string()
                case "transactionId": header.transactionID = try reader.string()
                case "applicationData": header.applicationData = try reader.string()
                case "ephemeralPublicKey": header.ephemeralPublicKey = try reader.string()
                case "wrappedKey": header.wrappedKey = try reader.string()
                default: try reader.skip()
                }
            }
            self = header
        default: try reader.skip()
        }
    }

    private static func paymentMethod(_ reader: inout JSONReader) throws(JSONError) -> ClaimedPaymentMethod {
        guard try reader.kind() == .object else { throw reader.error(.type, "an object is expected") }
        let method = try reader.value()
        return ClaimedPaymentMethod(
            displayName: method["displayName"]?.string, network: method["network"]?.string,
            type: method["type"]?.string)
    }
}
