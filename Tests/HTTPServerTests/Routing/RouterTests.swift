import OrchardHTTPTypes
import Testing

@testable import OrchardHTTPServer

@Suite struct RouterTests {
    private let router: Router = {
        var router = Router()
        router.on(.get, "/v1/orders/{id}") { _, parameters in .text("order \(parameters["id"] ?? "-")") }
        router.on(.post, "/v1/orders/{id}") { _, _ in .text("posted") }
        router.on(.get, "/v1/orders/{id}/payments/{payment}", whenClientLeaves: .cancel) { _, parameters in
            .text("\(parameters["id"] ?? "-") \(parameters["payment"] ?? "-")")
        }
        router.on(.get, "/v1/orders/new") { _, _ in .text("never: the route above was added first") }
        router.on(.get, "/") { _, _ in .text("root") }
        return router
    }()

    private func respond(_ method: HTTPMethod, _ target: String) async throws -> (HTTPStatus, String, HTTPFields) {
        let response = try await router.respond(to: HTTPRequest(method: method, target: target))
        return (response.status, String(decoding: response.body, as: UTF8.self), response.fields)
    }

    @Test(arguments: [
        ("/v1/orders/42", "order 42"),
        ("/v1/orders/42?wait=1", "order 42"),
        ("/v1/orders/a%20b%2Fc", "order a b/c"),
        ("/v1/orders/new", "order new"),
        ("/v1/orders/1/payments/2", "1 2"),
        ("/", "root"),
    ])
    func aPathIsMatchedSegmentBySegment(_ target: String, _ body: String) async throws {
        #expect(try await respond(.get, target).1 == body)
    }

    @Test(arguments: ["/v1/orders", "/v1/orders/", "/v1/orders/1/", "/v1//orders/1", "/v1/Orders/1", "/x", "//"])
    func whatNoRouteFitsIs404(_ target: String) async throws {
        #expect(try await respond(.get, target).0 == .notFound)
    }

    @Test func anotherMethodIs405AndToldWhatIsAllowed() async throws {
        let (status, _, fields) = try await respond(.delete, "/v1/orders/1")
        #expect(status == .methodNotAllowed)
        #expect(fields["Allow"] == "GET, HEAD, POST")
    }

    @Test func headIsAnsweredLikeGet() async throws {
        #expect(try await respond(.head, "/v1/orders/1").1 == "order 1")
    }

    @Test(arguments: ["/v1/orders/%", "/v1/orders/%zz", "/v1/orders/%ff"])
    func aBadEscapeIs400(_ target: String) async throws {
        #expect(try await respond(.get, target).0 == .badRequest)
    }

    @Test func aParameterThatMeansNothingIs404() throws {
        let parameters = RouteParameters(["id": "x"])
        #expect(try parameters.require("id") { $0 == "x" ? 1 : nil } == 1)
        #expect(throws: Problem(.notFound, code: "not-found", detail: "the path has no valid id")) {
            try parameters.require("id") { Int($0) }
        }
    }

    @Test func theRouteSaysWhatHappensWhenTheClientLeaves() {
        func call(_ target: String) -> RouteCall { router.call(for: HTTPRequest(method: .get, target: target)) }
        #expect(call("/v1/orders/1/payments/2").whenClientLeaves == .cancel)
        #expect(call("/v1/orders/1").whenClientLeaves == .finish)
        #expect(call("/v1/orders/1").route?.template == "/v1/orders/{id}")
        #expect(call("/nothing").route?.template == nil)
    }
}
