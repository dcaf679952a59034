import Foundation

extension ConfigReader {
    /// A text. Without a default it is required.
    public func string(_ name: String, doc: String, default value: String? = nil) -> String {
        let key = key(name, kind: "text", doc: doc, default: value, required: value == nil)
        return self.value(key, default: value ?? "", parse: Self.single, show: { $0 })
    }

    /// A text that may be missing.
    public func optionalString(_ name: String, doc: String) -> String? {
        let key = key(name, kind: "text", doc: doc, default: nil, required: false)
        return value(key, default: nil, parse: { texts throws(ConfigurationReason) in try Self.single(texts) }) {
            $0 ?? ""
        }
    }

    /// A whole number in a range.
    public func int(_ name: String, doc: String, default value: Int? = nil, in range: ClosedRange<Int>) -> Int {
        let kind = "integer \(range.lowerBound)…\(range.upperBound)"
        let key = key(name, kind: kind, doc: doc, default: value.map(String.init), required: value == nil)
        return self.value(
            key, default: value ?? range.lowerBound,
            parse: { texts throws(ConfigurationReason) in
                guard let number = Int(try Self.single(texts)), range.contains(number) else {
                    throw ConfigurationReason("is not a whole number from \(range.lowerBound) to \(range.upperBound)")
                }
                return number
            }, show: { String($0) })
    }

    /// `true` or `false`.
    public func bool(_ name: String, doc: String, default value: Bool) -> Bool {
        let key = key(name, kind: "true or false", doc: doc, default: String(value), required: false)
        return self.value(
            key, default: value,
            parse: { texts throws(ConfigurationReason) in
                guard let flag = Bool(try Self.single(texts)) else {
                    throw ConfigurationReason("is neither true nor false")
                }
                return flag
            }, show: { String($0) })
    }

    /// A duration with its unit: `500ms`, `3s`, `15m`, `24h`, `7d`.
    public func duration(
        _ name: String, doc: String, default value: Duration? = nil, in range: ClosedRange<Duration>? = nil
    ) -> Duration {
        let kind =
            "duration"
            + (range.map { " \(DurationText.show($0.lowerBound))…\(DurationText.show($0.upperBound))" } ?? "")
        let key = key(name, kind: kind, doc: doc, default: value.map(DurationText.show), required: value == nil)
        return self.value(
            key, default: value ?? range?.lowerBound ?? .seconds(1),
            parse: { texts throws(ConfigurationReason) in
                guard let duration = DurationText.parse(try Self.single(texts)) else {
                    throw ConfigurationReason("is not a duration like 500ms, 3s, 15m, 24h or 7d")
                }
                guard range?.contains(duration) ?? true else {
                    throw ConfigurationReason("is outside the range of a \(kind)")
                }
                return duration
            }, show: DurationText.show)
    }

    /// One of an enumeration's raw values.
    public func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, doc: String, default value: Choice
    ) -> Choice {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        let key = key(name, kind: "one of \(names)", doc: doc, default: value.rawValue, required: false)
        return self.value(
            key, default: value,
            parse: { texts throws(ConfigurationReason) in
                guard let choice = Choice(rawValue: try Self.single(texts)) else {
                    throw ConfigurationReason("is not one of \(names)")
                }
                return choice
            }, show: { $0.rawValue })
    }

    /// An absolute URL with one of `schemes`.
    ///
    /// - Parameter loopbackOnly: schemes that are allowed only for addresses of this machine (`http` in tests and
    ///   demos).
    public func url(
        _ name: String, doc: String, default value: String? = nil, schemes: [String] = ["https"],
        loopbackOnly: [String] = ["http"]
    ) -> String {
        let key = key(name, kind: "URL", doc: doc, default: value, required: value == nil)
        return self.value(
            key, default: value ?? "",
            parse: { texts throws(ConfigurationReason) in try Self.address(texts, schemes, loopbackOnly) }, show: { $0 }
        )
    }

    /// An absolute URL as ``url(_:doc:default:schemes:loopbackOnly:)`` reads it, or none.
    public func optionalURL(
        _ name: String, doc: String, schemes: [String] = ["https"], loopbackOnly: [String] = ["http"]
    ) -> String? {
        let key = key(name, kind: "URL", doc: doc, default: nil, required: false)
        return value(
            key, default: nil,
            parse: { texts throws(ConfigurationReason) in try Self.address(texts, schemes, loopbackOnly) }
        ) { $0 ?? "" }
    }

    private static func address(
        _ texts: [String], _ schemes: [String], _ loopbackOnly: [String]
    ) throws(ConfigurationReason) -> String {
        let text = try single(texts)
        guard let url = URL(string: text), let scheme = url.scheme, let host = url.host, !host.isEmpty else {
            throw ConfigurationReason("is not an absolute URL")
        }
        guard schemes.contains(scheme) || (isLoopback(host) && loopbackOnly.contains(scheme)) else {
            throw ConfigurationReason("must begin with \(schemes.map { $0 + "://" }.joined(separator: " or "))")
        }
        return text
    }

    /// A file that can be read now. Without a default it is required.
    public func file(_ name: String, doc: String, default value: String? = nil) -> String {
        let key = key(name, kind: "file", doc: doc, default: value, required: value == nil)
        return self.value(key, default: value ?? "", parse: Self.readableFile, show: { $0 })
    }

    /// A file that can be read now, or none.
    public func optionalFile(_ name: String, doc: String) -> String? {
        let key = key(name, kind: "file", doc: doc, default: nil, required: false)
        return value(key, default: nil, parse: { texts throws(ConfigurationReason) in try Self.readableFile(texts) }) {
            $0 ?? ""
        }
    }

    /// A required secret; from the environment, the file or a file of its own (`…_FILE`).
    public func secret(_ name: String, doc: String) -> Secret {
        let key = key(name, kind: "secret", doc: doc, default: nil, required: true, secret: true)
        return value(
            key, default: Secret(""), parse: { texts throws(ConfigurationReason) in Secret(try Self.single(texts)) },
            show: \.description)
    }

    /// Several texts: an array in the file, separated by commas elsewhere. Without a default at least one is required.
    public func list(_ name: String, doc: String, default value: [String]? = nil) -> [String] {
        let shown = value?.joined(separator: ",")
        let key = key(name, kind: "list, with commas", doc: doc, default: shown, required: value == nil)
        return self.value(
            key, default: value ?? [],
            parse: { texts throws(ConfigurationReason) in
                let parts = texts.flatMap { $0.split(separator: ",") }
                    .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
                guard !parts.isEmpty else { throw ConfigurationReason("is an empty list") }
                return parts
            }, show: { $0.joined(separator: ",") })
    }

    /// Settings passed to a library under its own names: `kafka.properties.security.protocol`, in the environment
    /// `KAFKA_PROPERTIES_SECURITY_PROTOCOL`.
    ///
    /// - Parameters:
    ///   - isSecret: whether the value of a setting is not shown, told its name.
    ///   - problem: what is wrong with a setting, told its name and value; nil when nothing is. It repeats no secret.
    public func section(
        _ name: String, doc: String, isSecret: (String) -> Bool, problem: (String, String) -> String? = { _, _ in nil }
    ) -> [String: String] {
        let key = key(name, kind: ConfigKey.sectionKind, doc: doc, default: nil, required: false)
        return section(key, problem: problem) { name, text in isSecret(name) ? "[secret]" : text }
    }

    /// Why this process cannot read a file now, as the end of the sentence `"path" …`; nil when it can.
    ///
    /// - Parameter mayBeFolder: whether a folder is good too.
    public static func problem(withFile path: String, mayBeFolder: Bool = false) -> String? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return "does not exist" }
        guard mayBeFolder || !isFolder.boolValue, FileManager.default.isReadableFile(atPath: path) else {
            return "is not a file that this process may read"
        }
        return nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return host == "localhost" || host == "::1" || host == "[::1]"
            || (parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil })
    }

    private static func single(_ texts: [String]) throws(ConfigurationReason) -> String {
        guard texts.count == 1, let text = texts.first else {
            throw ConfigurationReason("must be one value, not a list")
        }
        guard !text.isEmpty else { throw ConfigurationReason("is empty") }
        return text
    }

    private static func readableFile(_ texts: [String]) throws(ConfigurationReason) -> String {
        let path = try single(texts)
        if let problem = problem(withFile: path) { throw ConfigurationReason(problem) }
        return path
    }
}
