import OrchardHTTPTypes
import Testing

@Suite struct HTTPRequestTests {
    @Test func theTargetIsSplitAtTheQuestionMark() {
        let request = HTTPRequest(method: .get, target: "/a/b?wait=25&x=a%20b&wait=1")
        #expect(request.path == "/a/b")
        #expect(request.queryValue("wait") == "25")
        #expect(request.queryValue("x") == "a b")
        #expect(request.queryValue("y") == nil)
        #expect(HTTPRequest(method: .get, target: "/a?%zz").query == nil)
        #expect(HTTPRequest(method: .get, target: "/a").query?.isEmpty == true)
    }

    @Test(arguments: [
        ("Bearer abc", "abc"), ("bearer a.b-c", "a.b-c"), ("Basic abc", nil), ("Bearer", nil), ("", nil),
    ])
    func theBearerTokenIsReadFromAuthorization(_ value: String, _ token: String?) {
        let request = HTTPRequest(method: .get, target: "/", fields: ["Authorization": value])
        #expect(request.bearerToken.map(String.init) == token)
    }

    @Test func twoAuthorizationsAreNone() {
        var request = HTTPRequest(method: .get, target: "/", fields: ["Authorization": "Bearer a"])
        request.fields.append(name: "authorization", value: "Bearer b")
        #expect(request.bearerToken == nil)
    }

    @Test func anotherContentTypeIs415() throws {
        func request(_ type: String) -> HTTPRequest {
            HTTPRequest(method: .post, target: "/", fields: ["Content-Type": type])
        }
        try request("application/json").requireContentType("application/json")
        try request("Application/JSON; charset=utf-8").requireContentType("application/json")
        #expect(
            throws: Problem(
                .unsupportedMediaType, code: "unsupported-media-type", detail: "send the body as application/json")
        ) {
            try request("text/plain").requireContentType("application/json")
        }
        #expect(throws: Problem.self) {
            try HTTPRequest(method: .post, target: "/").requireContentType("application/json")
        }
    }
}
