import OrchardServiceKit

/// The settings and the command of docs/extending.md.
struct GreetConfiguration: Sendable {
    let greeting: String
    let pause: Duration

    init(reader: ConfigReader) {
        greeting = reader.string("greet.text", doc: "What is said.", default: "hello")
        pause = reader.duration(
            "greet.pause", doc: "How long to wait before.", default: .seconds(1), in: .zero...(.seconds(60)))
    }
}

enum GreetCommand {
    static let command = Command(
        name: "greet", summary: "say a greeting", arguments: [.init("NAME", help: "Who is greeted.")],
        configuration: ConfigReader.keys { GreetConfiguration(reader: $0) },
        examples: [.init("example greet Li --greet-text 'good morning'", "With another text")]
    ) { invocation in
        let (configuration, _) = try invocation.configuration { GreetConfiguration(reader: $0) }
        try await Task.sleep(for: configuration.pause)
        print("\(configuration.greeting), \(invocation.arguments[0])")
        return 0
    }
}
