import Foundation
import Testing

@testable import OrchardServiceKit

@Suite("ConfigReader")
struct ConfigReaderTests {
    enum Colour: String, CaseIterable { case red, green }

    struct Example: Equatable {
        let port: Int
        let servers: String
        let wait: Duration
        let colour: Colour
        let hosts: [String]
        let isLoud: Bool
        let password: Secret
        let properties: [String: String]

        init(reader: ConfigReader) {
            let kafka = reader.scoped(to: "kafka")
            port = reader.int("http.port", doc: "Where to listen.", default: 8080, in: 0...65_535)
            servers = kafka.string("bootstrap.servers", doc: "Brokers.")
            wait = reader.duration("wait", doc: "How long.", default: .seconds(3), in: .seconds(1)...(.seconds(60)))
            colour = reader.choice("colour", doc: "Taste.", default: .red)
            hosts = reader.list("hosts", doc: "Hosts.", default: [])
            isLoud = reader.bool("loud", doc: "Noise.", default: false)
            password = reader.secret("database.password", doc: "Password.")
            properties = kafka.section(
                "properties", doc: "For the library.", isSecret: { $0.contains("password") })
        }
    }

    private func read(
        commandLine: [String: String] = [:], environment: [String: String] = [:], file: String? = nil
    ) throws -> (Example, EffectiveConfiguration) {
        var sources = ConfigSources(commandLine: commandLine, environment: environment)
        sources.file = try file.map { try ConfigFile(path: "test.json", json: Data($0.utf8)) }
        return try ConfigReader.read(sources) { Example(reader: $0) }
    }

    private func problems(environment: [String: String] = [:], file: String? = nil) -> [String] {
        let error = #expect(throws: ConfigurationError.self) { try read(environment: environment, file: file) }
        return error?.problems.map { "\($0.key): \($0.reason)" } ?? []
    }

    private static func environment(_ more: [String: String] = [:]) -> [String: String] {
        more.merging(["KAFKA_BOOTSTRAP_SERVERS": "a:9092", "DATABASE_PASSWORD": "hunter2"]) { mine, _ in mine }
    }

    @Test("the command line wins over the environment, the environment over the file, the file over the default")
    func precedence() throws {
        let file = #"{"http": {"port": 3}, "wait": "15s", "colour": "green", "hosts": ["a", "b"], "loud": true}"#
        func port(_ commandLine: [String: String], _ environment: [String: String], _ file: String?) throws -> Int {
            try read(commandLine: commandLine, environment: Self.environment(environment), file: file).0.port
        }
        #expect(try port(["http-port": "1"], ["HTTP_PORT": "2"], file) == 1)
        #expect(try port([:], ["HTTP_PORT": "2"], file) == 2)
        #expect(try port([:], ["HTTP_PORT": ""], file) == 3)
        #expect(try port([:], [:], nil) == 8080)
        let example = try read(environment: Self.environment(), file: file).0
        #expect(example.wait == .seconds(15))
        #expect(example.colour == .green)
        #expect(example.hosts == ["a", "b"])
        #expect(example.isLoud)
        #expect(example.password == Secret("hunter2"))
    }

    @Test("one error has every problem, and no secret")
    func allProblems() {
        let found = problems(
            environment: [
                "HTTP_PORT": "70000", "WAIT": "5 minutes", "COLOUR": "blue", "LOUD": "yes", "HOSTS": ",",
                "DATABASE_PASSWORD": "hunter2", "DATABASE_PASSWORD_FILE": "/nowhere",
            ], file: #"{"kafka": {"bootstrp.servers": "x"}, "http.prt": 1}"#)
        #expect(
            found == [
                #"http.port: "70000" is not a whole number from 0 to 65535 (environment HTTP_PORT)"#,
                "kafka.bootstrap.servers: is required: set KAFKA_BOOTSTRAP_SERVERS. Brokers.",
                #"wait: "5 minutes" is not a duration like 500ms, 3s, 15m, 24h or 7d (environment WAIT)"#,
                #"colour: "blue" is not one of red, green (environment COLOUR)"#,
                #"hosts: "," is an empty list (environment HOSTS)"#,
                #"loud: "yes" is neither true nor false (environment LOUD)"#,
                "database.password: set DATABASE_PASSWORD or DATABASE_PASSWORD_FILE, not both",
                #"http.prt: is not a setting, did you mean "http.port"? (file test.json)"#,
                #"kafka.bootstrp.servers: is not a setting, did you mean "kafka.bootstrap.servers"? (file test.json)"#,
            ])
    }

    @Test("a secret comes from its own file, without the line end")
    func secretFile() throws {
        let path = NSTemporaryDirectory() + "secret-\(UUID().uuidString)"
        try Data("hunter2\n".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let servers = ["KAFKA_BOOTSTRAP_SERVERS": "a:9092"]
        let byEnvironment = try read(
            environment: ["KAFKA_BOOTSTRAP_SERVERS": "a:9092", "DATABASE_PASSWORD_FILE": path])
        let byFile = try read(environment: servers, file: #"{"database.password_file": "\#(path)"}"#)
        let byOption = try read(commandLine: ["database-password-file": path], environment: servers)
        for (example, effective) in [byEnvironment, byFile, byOption] {
            #expect(example.password.value == "hunter2")
            #expect(effective.entries.contains { $0.key == "database.password" && $0.shown == "[secret]" })
            #expect(!"\(example) \(effective)".contains("hunter2"))
        }
    }

    @Test("a secret's file that is missing is named")
    func missingSecretFile() {
        let found = problems(
            environment: ["KAFKA_BOOTSTRAP_SERVERS": "a:9092", "DATABASE_PASSWORD_FILE": "/nowhere"])
        #expect(
            found == [
                "database.password: the secret's file /nowhere (environment DATABASE_PASSWORD_FILE) "
                    + "cannot be read as UTF-8 text"
            ])
    }

    @Test("a section passes a library's own settings on, and hides those that are secret")
    func section() throws {
        let environment = Self.environment([
            "KAFKA_PROPERTIES_SECURITY_PROTOCOL": "ssl", "KAFKA_PROPERTIES_SSL_KEY_PASSWORD": "hunter3",
        ])
        let (example, effective) = try read(
            environment: environment,
            file: #"{"kafka.properties": {"client.id": "x", "security.protocol": "plaintext"}}"#)
        #expect(
            example.properties == [
                "security.protocol": "ssl", "ssl.key.password": "hunter3", "client.id": "x",
            ])
        #expect(!effective.description.contains("hunter"))
        #expect(
            effective.description.contains(
                "kafka.properties.security.protocol = ssl (environment KAFKA_PROPERTIES_SECURITY_PROTOCOL)"))
    }

    @Test("lists its keys for the help without reading anything")
    func keys() {
        let keys = ConfigReader.keys { Example(reader: $0) }
        #expect(
            keys.map(\.name) == [
                "http.port", "kafka.bootstrap.servers", "wait", "colour", "hosts", "loud", "database.password",
                "kafka.properties",
            ])
        #expect(
            keys[0].environmentExample == """
                # Where to listen. (integer 0…65535; default 8080)
                #HTTP_PORT=8080

                """)
        #expect(
            keys[6].environmentExample == """
                # Password. (secret; required) Or DATABASE_PASSWORD_FILE: a file that holds it.
                DATABASE_PASSWORD=

                """)
    }

    @Test(
        "an address outside this machine needs https",
        arguments: [
            ("https://acquirer.example/gateway", true), ("http://127.0.0.1:8080/", true), ("http://localhost/", true),
            ("http://acquirer.example/", false), ("acquirer.example", false), ("https://", false),
            ("http://127.0.0.1.evil.example/", false), ("file:///etc/passwd", false),
        ])
    func url(_ text: String, _ allowed: Bool) {
        let sources = ConfigSources(environment: ["ACQUIRER_URL": text])
        let url = try? ConfigReader.read(sources) { $0.url("acquirer.url", doc: "The acquirer.") }.0
        #expect(url == (allowed ? text : nil))
    }

    @Test(
        "durations",
        arguments: [
            ("500ms", .milliseconds(500)), ("3s", .seconds(3)), ("15m", .seconds(900)), ("24h", .seconds(86_400)),
            ("7d", .seconds(604_800)), ("3", nil), ("-3s", nil), ("3 s", nil), ("1.5s", nil), ("s", nil), ("", nil),
            ("99999999999999999d", nil),
        ] as [(String, Duration?)])
    func durations(_ text: String, _ duration: Duration?) {
        #expect(DurationText.parse(text) == duration)
        if let duration { #expect(DurationText.parse(DurationText.show(duration)) == duration) }
    }

    @Test(
        "a file that is no JSON object, or sets a key twice, is refused",
        arguments: ["", "[]", "1", "{", #"{"a": null}"#, #"{"a": [[1]]}"#, #"{"a": {"b": 1}, "a.b": 2}"#])
    func badFile(_ text: String) {
        #expect(throws: ConfigurationError.self) { try ConfigFile(path: "test.json", json: Data(text.utf8)) }
    }

    @Test(
        "the error about a broken file names the line and column",
        arguments: [
            ("{\"a\": 1,\n  \"b\": 2", "line 2, column 9: the text ends"),
            (
                "{\"a\": 1,\n}",
                "line 2, column 1: a member name in quotes is expected after a comma; a comma before } is not"
            ),
            ("{\"a\": 1 // one\n}", "line 1, column 9: "), ("{\n\n  \"a\": oui}", "line 3, column 8: "),
        ])
    func place(_ text: String, _ expected: String) {
        do {
            _ = try ConfigFile(path: "test.json", json: Data(text.utf8))
            Issue.record("the file was read")
        } catch {
            #expect("\(error)".contains("test.json: \(expected)"), "\(error)")
        }
    }

    @Test("one message reports the problems of several files")
    func gathering() {
        struct File {
            init(_ problem: String?) throws(ConfigurationError) {
                if let problem { throw ConfigurationError(problems: [.init(key: problem, reason: "is wrong")]) }
            }
        }
        var problems: [ConfigurationError.Problem] = []
        for name in ["a", nil, "b"] {
            let file = problems.gather { () throws(ConfigurationError) in try File(name) }
            #expect((file == nil) == (name != nil))
        }
        #expect(problems.map(\.key) == ["a", "b"])
    }
}
