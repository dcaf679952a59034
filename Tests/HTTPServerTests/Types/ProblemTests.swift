import OrchardHTTPTypes
import OrchardJSON
import Testing

@Suite struct ProblemTests {
    @Test func theDocumentHasTheMembersOfRFC9457AndItsOwn() {
        let problem = Problem(
            .conflict, code: "token-expired", detail: "ask for the \"status\"", instance: "urn:x",
            members: ["paymentId": .string("ab"), "attempts": .integer(2)], fields: ["Retry-After": "3"])
        let response = HTTPResponse.problem(problem)
        #expect(response.status == .conflict)
        #expect(response.fields["Content-Type"] == "application/problem+json")
        #expect(response.fields["Cache-Control"] == "no-store")
        #expect(response.fields["Retry-After"] == "3")
        #expect(
            String(decoding: response.body, as: UTF8.self) == """
                {"attempts":2,"code":"token-expired","detail":"ask for the \\"status\\"","instance":"urn:x",\
                "paymentId":"ab","status":409,"title":"Conflict","type":"urn:orchard:problem:token-expired"}
                """)
    }

    @Test func aMemberCannotTakeTheNameOfAStandardOne() {
        let problem = Problem(.conflict, code: "a", members: ["status": .integer(200)])
        #expect(String(decoding: problem.json, as: UTF8.self).contains("\"status\":409"))
    }
}
