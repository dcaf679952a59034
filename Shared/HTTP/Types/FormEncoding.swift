/// `application/x-www-form-urlencoded` (WHATWG URL §5), as queries and acquirers' notifications use it.
public enum FormEncoding {
    /// The pairs in order; nil when a percent sign is not followed by two hex digits or the bytes are not UTF-8.
    public static func decode(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0], plusIsBlank: true),
                let value = halves.count == 2 ? PercentEncoding.decode(halves[1], plusIsBlank: true) : ""
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// The pairs of a body; nil when it is not a form.
    public static func decode(_ body: [UInt8]) -> [(name: String, value: String)]? {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        return decode(text)
    }

    /// The pairs as a body, in the order given.
    public static func encode(_ pairs: some Sequence<(name: String, value: String)>) -> [UInt8] {
        let parts = pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return Array(parts.joined(separator: "&").utf8)
    }
}
