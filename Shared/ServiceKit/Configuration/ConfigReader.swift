/// Reads settings by key and collects every problem instead of stopping at the first.
///
/// A configuration is a struct with `init(reader:)`. A missing or wrong setting gives a placeholder, which never leaves
/// ``read(_:_:)``: that throws when there was any problem. (Shape of swift-configuration.)
///
///     let (configuration, effective) = try ConfigReader.read(sources) { Configuration(reader: $0) }
public struct ConfigReader {
    private final class Record {
        var keys: [ConfigKey] = []
        var problems: [ConfigurationError.Problem] = []
        var entries: [EffectiveConfiguration.Entry] = []
    }

    private let sources: ConfigSources
    private let record = Record()
    private var prefix = ""

    private init(_ sources: ConfigSources) {
        self.sources = sources
    }

    /// Reads a whole configuration.
    ///
    /// - Throws: ``ConfigurationError`` with every missing, wrong and unknown setting.
    public static func read<Configuration>(
        _ sources: ConfigSources, _ make: (ConfigReader) -> Configuration
    ) throws(ConfigurationError) -> (Configuration, EffectiveConfiguration) {
        let reader = ConfigReader(sources)
        let configuration = make(reader)
        let problems = reader.record.problems + reader.unknownKeys()
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return (configuration, EffectiveConfiguration(entries: reader.record.entries))
    }

    /// The settings that a configuration reads, in the order it reads them.
    public static func keys<Configuration>(of make: (ConfigReader) -> Configuration) -> [ConfigKey] {
        let reader = ConfigReader(ConfigSources(environment: [:]))
        _ = make(reader)
        return reader.record.keys
    }

    /// A reader whose keys all begin with `part` and a dot.
    public func scoped(to part: String) -> ConfigReader {
        var reader = self
        reader.prefix = prefix + part + "."
        return reader
    }

    /// Adds a problem that concerns several settings, or one that only the owner of the setting can detect.
    public func report(_ key: String, _ reason: String) {
        record.problems.append(.init(key: prefix + key, reason: reason))
    }

    // MARK: for ConfigReader+Values

    /// Finds a key's value and parses it.
    func value<Value>(
        _ key: ConfigKey, default defaultValue: Value, parse: ([String]) throws(ConfigurationReason) -> Value,
        show: (Value) -> String
    ) -> Value {
        if !record.keys.contains(where: { $0.name == key.name }) { record.keys.append(key) }
        let found: ConfigSources.Found?
        do {
            found = try sources.find(key)
        } catch {
            record.problems.append(error)
            return defaultValue
        }
        guard let found else {
            if key.isRequired {
                let secret = key.isSecret ? " (or \(key.environmentName)_FILE)" : ""
                report(key, "is required: set \(key.environmentName)\(secret). \(key.doc)")
            } else if let shown = key.defaultValue {
                record.entries.append(.init(key: key.name, shown: shown, source: "default"))
            }
            return defaultValue
        }
        do {
            let value = try parse(found.texts)
            let shown = key.isSecret ? "[secret]" : show(value)
            record.entries.append(.init(key: key.name, shown: shown, source: found.place))
            return value
        } catch {
            let shown = found.texts.joined(separator: ",").prefix(80)
            report(key, key.isSecret ? "\(error.text) (\(found.place))" : "\"\(shown)\" \(error.text) (\(found.place))")
            return defaultValue
        }
    }

    /// All settings below a key, whatever their names.
    func section(
        _ key: ConfigKey, problem: (String, String) -> String?, show: (String, String) -> String
    ) -> [String: String] {
        if !record.keys.contains(key) { record.keys.append(key) }
        var all: [String: String] = [:]
        var places: [String: String] = [:]
        func take(_ name: String, _ text: String, _ place: String) {
            all[name] = text
            places[name] = place
            record.entries.removeAll { $0.key == "\(key.name).\(name)" }
            record.entries.append(.init(key: "\(key.name).\(name)", shown: show(name, text), source: place))
        }
        for (name, texts) in (sources.file?.values ?? [:]).sorted(by: { $0.key < $1.key })
        where name.hasPrefix(key.name + ".") {
            take(String(name.dropFirst(key.name.count + 1)), texts.joined(separator: ","), "file")
        }
        for (name, text) in sources.environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix(key.environmentName + "_") {
            let rest = name.dropFirst(key.environmentName.count + 1).lowercased()
            take(String(rest.map { $0 == "_" ? "." : $0 }), text, "environment \(name)")
        }
        for (name, place) in places.sorted(by: { $0.key < $1.key }) {
            guard let reason = all[name].flatMap({ problem(name, $0) }) else { continue }
            record.problems.append(.init(key: "\(key.name).\(name)", reason: "\(reason) (\(place))"))
        }
        return all
    }

    func key(
        _ name: String, kind: String, doc: String, default defaultValue: String?, required: Bool, secret: Bool = false
    ) -> ConfigKey {
        ConfigKey(
            name: prefix + name, kind: kind, doc: doc, defaultValue: defaultValue, isRequired: required,
            isSecret: secret)
    }

    private func report(_ key: ConfigKey, _ reason: String) {
        record.problems.append(.init(key: key.name, reason: reason))
    }

    private func unknownKeys() -> [ConfigurationError.Problem] {
        let keys = record.keys + sources.otherSettings
        let known = Set(keys.flatMap { $0.isSecret ? [$0.name, $0.name + "_file"] : [$0.name] })
        let sections = keys.filter { $0.kind == ConfigKey.sectionKind }.map { $0.name + "." }
        guard let file = sources.file else { return [] }
        return file.values.keys.sorted().filter { name in
            !known.contains(name) && !sections.contains { name.hasPrefix($0) }
        }.map { name in
            let hint = NearestName.hint(name, among: known)
            return .init(key: name, reason: "is not a setting\(hint) (file \(file.path))")
        }
    }
}

/// Why a text is not a value: the end of the sentence `"text" …`.
struct ConfigurationReason: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
