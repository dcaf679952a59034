import Foundation
import OrchardJSON

/// A JSON configuration file, flattened: `{"http": {"port": 8080}}` and `{"http.port": 8080}` mean the same.
public struct ConfigFile: Sendable, Equatable {
    /// The path of the file.
    public let path: String
    /// Texts by dotted key; an array has several.
    let values: [String: [String]]

    /// Reads the file at `path`.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read or is not a JSON object of texts, numbers, booleans,
    ///   arrays of these and objects.
    public init(path: String) throws(ConfigurationError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(problems: [.init(key: path, reason: "the configuration file cannot be read")])
        }
        try self.init(path: path, json: data)
    }

    /// Reads the text of a file.
    public init(path: String, json: Data) throws(ConfigurationError) {
        let bytes = Array(json)
        let root: JSONValue
        do throws(JSONError) { root = try JSONValue(parsing: bytes) } catch {
            let reason = "\(error.place(in: bytes)): \(error.reason); this is no valid JSON"
            throw ConfigurationError(problems: [.init(key: path, reason: reason)])
        }
        guard let members = root.members else {
            throw ConfigurationError(problems: [.init(key: path, reason: "must be a JSON object")])
        }
        var values: [String: [String]] = [:]
        var problems: [ConfigurationError.Problem] = []
        Self.flatten(members, prefix: "", into: &values, &problems)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.path = path
        self.values = values
    }

    private static func flatten(
        _ members: [JSONMember], prefix: String, into values: inout [String: [String]],
        _ problems: inout [ConfigurationError.Problem]
    ) {
        for member in members.sorted(by: { $0.name < $1.name }) {
            let key = prefix + member.name
            if let inner = member.value.members {
                flatten(inner, prefix: key + ".", into: &values, &problems)
            } else if let texts = texts(member.value) {
                if values.updateValue(texts, forKey: key) != nil {
                    problems.append(.init(key: key, reason: "is set twice in the file"))
                }
            } else {
                problems.append(.init(key: key, reason: "is no text, number, true, false or list of these"))
            }
        }
    }

    private static func texts(_ value: JSONValue) -> [String]? {
        guard let elements = value.array else { return text(value).map { [$0] } }
        let texts = elements.compactMap { text($0) }
        return texts.count == elements.count ? texts : nil
    }

    private static func text(_ value: JSONValue) -> String? {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        case .number(let text), .string(let text): text
        case .null, .array, .object: nil
        }
    }
}
