import OrchardJSON

/// Reads `merchantTokenMetadata`: what the card behind a merchant token looks like and when it expires.
enum MerchantTokenMetadata {
    private static let cardMembers: Set<String> = [
        "expirationDate", "fpanSuffix", "cardCountry", "shortDescription", "longDescription",
    ]
    private static let artMembers: Set<String> = ["name", "type", "url"]
    private static let maximumText = 512
    private static let maximumArt = 4

    /// The members that Apple documents; others are left out.
    static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        guard try reader.kind() == .object else { throw reader.error(.type, "an object is expected") }
        var members: [JSONMember] = []
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "cardMetadata" where !reader.isNull():
                members.append(JSONMember(name, try texts(cardMembers, &reader)))
            case "cardArt" where !reader.isNull():
                var art: [JSONValue] = []
                try reader.array { reader throws(JSONError) in
                    guard art.count < maximumArt else {
                        throw reader.error(.size, "at most \(maximumArt) pictures are expected")
                    }
                    art.append(try texts(artMembers, &reader))
                }
                members.append(JSONMember(name, .array(art)))
            // A null was read already.
            case "cardMetadata", "cardArt": break
            default: try reader.skip()
            }
        }
        return .object(members)
    }

    private static func texts(_ known: Set<String>, _ reader: inout JSONReader) throws(JSONError) -> JSONValue {
        var members: [JSONMember] = []
        try reader.object { reader, name throws(JSONError) in
            guard known.contains(name.description) else { return try reader.skip() }
            if reader.isNull() { return }
            let text = try reader.string {
                $0.count <= maximumText
            } orRefuse: {
                "a text of at most \(maximumText) bytes is expected"
            }
            members.append(JSONMember(name, .string(text)))
        }
        return .object(members)
    }
}
