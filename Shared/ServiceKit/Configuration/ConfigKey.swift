/// One setting that a program reads, as `--help` and `.env.example` describe it.
public struct ConfigKey: Sendable, Hashable {
    /// The kind of a key that stands for all keys below it.
    static let sectionKind = "settings by name"

    /// Dotted, lower case: `http.port`.
    public let name: String
    /// What values look like: `integer 1…65535`.
    public let kind: String
    /// What it means, in one sentence.
    public let doc: String
    /// The value when no source sets it; nil when there is none.
    public let defaultValue: String?
    /// Whether the program refuses to start without it.
    public let isRequired: Bool
    /// Never printed and never given on the command line. It may come from a file (`…_FILE`).
    public let isSecret: Bool

    /// The environment variable: `HTTP_PORT`.
    public var environmentName: String {
        String(name.map { $0 == "." || $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    /// The option on the command line without its dashes: `http-port`. For a secret, its value is the path of a file.
    public var optionName: String {
        let option = String(name.map { $0 == "." ? "-" : $0 })
        return isSecret ? option + "-file" : option
    }

    /// A commented line of `.env.example`.
    public var environmentExample: String {
        let state = isRequired ? "required" : defaultValue.map { "default \($0)" } ?? "optional"
        let secret = isSecret ? " Or \(environmentName)_FILE: a file that holds it." : ""
        return
            "# \(doc) (\(kind); \(state))\(secret)\n\(isRequired ? "" : "#")\(environmentName)=\(defaultValue ?? "")\n"
    }
}
