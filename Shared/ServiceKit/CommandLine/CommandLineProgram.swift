import Foundation

/// A program with its commands: parses the command line, runs the command and ends with its exit status.
///
/// GNU habits: `--help` everywhere, `--version`; status 2 and a hint for a wrong command line or configuration, 1 for
/// any other error.
public struct CommandLineProgram: Sendable {
    private let root: Command
    private let version: String
    private let libraries: [LinkedLibrary]

    /// - Parameter libraries: those that `--version` names.
    public init(
        version: String = "\(Build.version) (\(Build.commit))", libraries: [LinkedLibrary] = [], root: Command
    ) {
        self.version = version
        self.libraries = libraries
        self.root = root
    }

    /// Runs the command that the command line of the process names, and ends the process.
    ///
    /// What C libraries registered with `atexit` is not called: OpenSSL frees there what threads of librdkafka still use,
    /// and a service that had stopped well ended with SIGSEGV.
    public func main() async -> Never {
        let status = await run(
            Array(CommandLine.arguments.dropFirst()),
            output: { FileHandle.standardOutput.write(Data($0.utf8)) },
            errors: { FileHandle.standardError.write(Data($0.utf8)) })
        LogWriter.standardOutput.flush()
        LogWriter.standardError.flush()
        fflush(nil)
        _exit(status)
    }

    /// Runs one command line.
    ///
    /// - Parameters:
    ///   - output: receives help and version.
    ///   - errors: receives error messages.
    /// - Returns: the exit status.
    public func run(
        _ words: [String], output: (String) -> Void, errors: (String) -> Void
    ) async -> Int32 {
        switch CommandParser(root: root).parse(words) {
        case .version:
            output("\(root.name) \(version)\n")
            for library in libraries { output("\(library.name) \(library.version)\n") }
            return 0
        case .help(let path):
            output(CommandHelp(path: path).text)
            return 0
        case .wrong(let error, let path):
            return printError(error, path, errors)
        case .run(let path, let invocation):
            do {
                return try await path.last?.body?(invocation) ?? 0
            } catch let error as UsageError {
                return printError(error, path, errors)
            } catch let error as ConfigurationError {
                errors("\(root.name): \(error)\n")
                return 2
            } catch {
                errors("\(root.name): \(error)\n")
                return 1
            }
        }
    }

    private func printError(_ error: UsageError, _ path: [Command], _ errors: (String) -> Void) -> Int32 {
        let name = path.map(\.name).joined(separator: " ")
        errors("\(name): \(error.reason)\nTry \"\(name) --help\".\n")
        return 2
    }
}
