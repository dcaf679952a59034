import OrchardJSON
import Testing

@Suite("The name of a member")
struct JSONNameTests {
    /// The branch that `switch` takes for a name as it is written between quotation marks.
    private func branch(_ written: String) throws -> String {
        try JSONReader.read(Array("{\"\(written)\":1}".utf8)) { reader throws(JSONError) in
            var branch = ""
            try reader.object { reader, name throws(JSONError) in
                _ = try reader.int64()
                switch name {
                case "a": branch = "a"
                case "amount": branch = "amount"
                case "prix en €": branch = "euro"
                case "": branch = "empty"
                default: branch = "other: \(name) of \(name.count) bytes"
                }
                #expect((name == "amount") == (branch == "amount"))
                #expect(name == name.description)
            }
            return branch
        }
    }

    @Test(
        "selects a branch byte by byte, however it is written",
        arguments: [
            ("a", "a"), ("amount", "amount"), (#"\u0061mount"#, "amount"), ("prix en €", "euro"),
            (#"prix en \u20ac"#, "euro"), ("", "empty"), ("b", "other: b of 1 bytes"),
            ("amounts", "other: amounts of 7 bytes"), ("amoun", "other: amoun of 5 bytes"),
            ("Amount", "other: Amount of 6 bytes"), ("amoun\u{FF54}", "other: amoun\u{FF54} of 8 bytes"),
            ("é", "other: é of 2 bytes"),
        ])
    func branches(_ written: String, _ expected: String) throws {
        #expect(try branch(written) == expected)
    }

    @Test(
        "is there once, however it is written, also among many",
        arguments: [("amount", #"\u0061mount"#), ("€", #"\u20ac"#), (#"\u0061"#, "a")])
    func duplicates(_ first: String, _ second: String) throws {
        for others in [0, 3, 40] {
            let members = (0..<others).map { #""n\#($0)":0"# } + [#""\#(second)":1"#]
            let text = #"{"\#(first)":1,"# + members.joined(separator: ",") + "}"
            let error = try #require(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
            #expect(error.code == .duplicate)
        }
    }
}
