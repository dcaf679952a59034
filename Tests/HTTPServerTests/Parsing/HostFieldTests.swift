import Testing

@testable import OrchardHTTPServer

@Suite struct HostFieldTests {
    @Test(arguments: ["a", "a.example", "127.0.0.1:8080", "[::1]", "[::1]:80", "a_b", "a%20b", "a:", "xn--a"])
    func aHostWithOrWithoutPortIsValid(_ value: String) { #expect(HostField.isValid(value)) }

    @Test(arguments: [
        "", "a b", "a/b", "u@a", "a, b", "a:8x", "a:123456", ":80", "[::1", "::1", "[]", "[::1]x", "a\tb", "中",
    ])
    func anythingElseIsNot(_ value: String) { #expect(!HostField.isValid(value)) }
}
