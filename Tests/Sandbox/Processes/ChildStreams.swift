import Foundation

/// The standard streams of a child as open files, and this process's ends of its pipes.
struct ChildStreams {
    /// nil is inherited.
    let input: Descriptor?
    let output: Descriptor?
    let errors: Descriptor?
    /// Where this process writes the child's input.
    let writing: Descriptor?
    /// Where it reads the child's output.
    let reading: Descriptor?

    init(_ command: ChildCommand) throws(ChildProcessError) {
        switch command.input {
        case .null: (input, writing) = (try .open("/dev/null", O_RDONLY), nil)
        case .inherited: (input, writing) = (nil, nil)
        case .file(let file): (input, writing) = (try .open(file.path, O_RDONLY), nil)
        case .pipe: (input, writing) = try Descriptor.pipe()
        }
        var pipe: (reading: Descriptor, writing: Descriptor)?
        output = try Self.open(command.output, &pipe)
        errors = try Self.open(command.errors, &pipe)
        reading = pipe?.reading
        writing?.becomeNonblocking()
        reading?.becomeNonblocking()
    }

    private static func open(
        _ stream: ChildCommand.Stream, _ pipe: inout (reading: Descriptor, writing: Descriptor)?
    ) throws(ChildProcessError) -> Descriptor? {
        switch stream {
        case .null: return try .open("/dev/null", O_WRONLY)
        case .inherited: return nil
        case .file(let file): return try .open(file.path, O_WRONLY | O_CREAT | O_APPEND)
        case .pipe:
            if pipe == nil { pipe = try Descriptor.pipe() }
            return pipe?.writing
        }
    }
}
