import Testing

@testable import Acquirers

@Suite("ACP message")
struct ACPMessageTests {
    @Test(
        "An answer is cut at each & outside braces, and at the first = of each part",
        arguments: [
            ("a=1&b=2", ["a": "1", "b": "2"]), ("a=b=c==", ["a": "b=c=="]),
            ("a={x=1&y={z=2&w=3}}&b=2", ["a": "{x=1&y={z=2&w=3}}", "b": "2"]), ("a=&b=2", ["a": nil, "b": "2"]),
            ("respMsg=成功[0000000]&a=+ /%41", ["respMsg": "成功[0000000]", "a": "+ /%41"]),
            ("c=-----BEGIN\r\nxx==\r\n-----&d=1", ["c": "-----BEGIN\r\nxx==\r\n-----", "d": "1"]),
        ] as [(String, [String: String?])])
    func answer(text: String, fields: [String: String?]) throws {
        let message = try ACPMessage(answer: Array(text.utf8))
        for (name, value) in fields { #expect(message[name] == value) }
    }

    @Test(
        "What is no message is refused",
        arguments: ["", "<html><a href=\"x\"></html>", "a", "=1", "a=1&a=1", "a={1", "a=1}&b={", "a=1&", "a b=1"])
    func noAnswer(text: String) {
        #expect { try ACPMessage(answer: Array(text.utf8)) } throws: { ($0 as? NotificationError)?.code == .malformed }
    }

    @Test("A notification is a percent-encoded form; its text to sign is the decoded one")
    func form() throws {
        let body = "b=%7Bx%3D1%26y%3D2%7D&a=%E6%88%90+%2B&signature=zz&c="
        let message = try ACPMessage(form: Array(body.utf8))
        #expect(String(decoding: message.signedText, as: UTF8.self) == "a=成 +&b={x=1&y=2}")
    }

    @Test(
        "A form with two fields melted into one, a field twice or a bad escape is refused",
        arguments: ["a=1%26b=2", "a=%7B1", "a=1%7D", "a=1&a=2", "a=%zz", "a=%FF", "a=%00", "%3D=1"])
    func noForm(body: String) {
        #expect { try ACPMessage(form: Array(body.utf8)) } throws: { ($0 as? NotificationError)?.code == .malformed }
    }

    @Test("Names are sorted by their bytes: capitals first, and no name before its own beginning")
    func order() throws {
        let message = try ACPMessage(answer: Array("b=4&accessType=3&accNo=2&Z=1&b2=5".utf8))
        #expect(String(decoding: message.signedText, as: UTF8.self) == "Z=1&accNo=2&accessType=3&b=4&b2=5")
    }

    @Test("The text to sign is byte for byte what came, also where it is no UTF-8")
    func bytes() throws {
        let message = try ACPMessage(answer: [0x61, 0x3D, 0xB3, 0xC9, 0x0D, 0x0A])
        #expect(message.signedText == [0x61, 0x3D, 0xB3, 0xC9, 0x0D, 0x0A])
        #expect(message["a"] == nil)
    }

    @Test(
        "The detail code is the seven digits that end respMsg",
        arguments: [
            ("查无此交易[2600000]", "2600000"), ("x[1][6154037]", "6154037"), ("成功", nil), ("x[12345678]", nil),
            ("x[123456a]", nil), ("[0000000]x", nil),
        ])
    func detail(expected: String, code: String?) throws {
        #expect(try ACPMessage(answer: Array("respMsg=\(expected)".utf8)).detailCode == code)
    }
}
