import TestSupport
import Testing

@Suite("Source files", .ownThreads)
struct FileTests {
    @Test("have at most 400 lines")
    func length() {
        for file in SourceFile.all {
            #expect(file.lines.count <= 401, "\(file.path) has \(file.lines.count) lines")
        }
    }

    @Test("have functions of at most 100 lines")
    func functions() {
        for file in SourceFile.ofProduct {
            var open: (indent: Int, line: Int)?
            for (index, line) in file.lines.enumerated() {
                let text = line.drop { $0 == " " }
                let indent = line.count - text.count
                if let begun = open {
                    guard text == "}", indent == begun.indent else { continue }
                    let length = index - begun.line + 1
                    #expect(length <= 100, "\(file.path):\(begun.line + 1) has a function of \(length) lines")
                    open = nil
                } else if !text.hasPrefix("//"),
                    text.contains(#/\b(func|init)\b.*\(|\bfunc\b/#.wordBoundaryKind(.simple)), !text.hasSuffix("}")
                {
                    open = (indent, index)
                }
            }
        }
    }

    @Test("are named for a type that they declare or extend")
    func names() {
        let types =
            #/(?m)^(?:public |private |package |@\w+ |final |indirect )*(?:struct|enum|class|actor|protocol) (\w+)/#
        let extended = #/(?m)^(?:public |private )?extension ([\w.]+)/#
        for file in SourceFile.ofProduct {
            let declared = Set(file.code.matches(of: types).map(\.output.1))
            guard !declared.isEmpty, let head = file.name.split(separator: "+").first else { continue }
            let isNamed = declared.contains(head) || file.code.matches(of: extended).contains { $0.output.1 == head }
            #expect(isNamed, "\(file.path) declares \(declared.sorted().joined(separator: ", "))")
        }
    }
}
