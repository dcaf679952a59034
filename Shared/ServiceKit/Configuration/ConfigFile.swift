import Foundation

/// A JSON configuration file, flattened: `{"http": {"port": 8080}}` and `{"http.port": 8080}` say the same.
public struct ConfigFile: Sendable, Equatable {
    /// Where it was read from.
    public let path: String
    /// Texts by dotted key; an array has several.
    let values: [String: [String]]

    /// Reads the file at `path`.
    ///
    /// - Throws: ``ConfigurationError`` when it cannot be read or is not a JSON object of texts, numbers, booleans, arrays
    ///   of these and objects.
    public init(path: String) throws(ConfigurationError) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(problems: [.init(key: path, reason: "the configuration file cannot be read")])
        }
        try self.init(path: path, json: data)
    }

    /// Reads the text of a file.
    public init(path: String, json: Data) throws(ConfigurationError) {
        let root: Node
        do {
            root = try JSONDecoder().decode(Node.self, from: json)
        } catch {
            throw ConfigurationError(problems: [.init(key: path, reason: "not valid JSON, or a value of a wrong type")])
        }
        guard case .object(let members) = root else {
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
        _ members: [String: Node], prefix: String, into values: inout [String: [String]],
        _ problems: inout [ConfigurationError.Problem]
    ) {
        for (name, node) in members.sorted(by: { $0.key < $1.key }) {
            let key = prefix + name
            switch node {
            case .object(let inner): flatten(inner, prefix: key + ".", into: &values, &problems)
            case .texts(let texts):
                if values.updateValue(texts, forKey: key) != nil {
                    problems.append(.init(key: key, reason: "is set twice in the file"))
                }
            }
        }
    }

    private enum Node: Decodable {
        case texts([String])
        case object([String: Node])

        init(from decoder: any Decoder) throws {
            if let members = try? [String: Node](from: decoder) {
                self = .object(members)
            } else if let list = try? [Scalar](from: decoder) {
                self = .texts(list.map(\.text))
            } else {
                self = .texts([try Scalar(from: decoder).text])
            }
        }
    }

    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                text = flag ? "true" : "false"
            } else if let number = try? container.decode(Int64.self) {
                text = String(number)
            } else if let number = try? container.decode(Double.self) {
                text = String(number)
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}
