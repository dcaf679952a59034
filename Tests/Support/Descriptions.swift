import Foundation
import OrchardHTTPTypes
import OrchardJSON
import SandboxProcesses

/// The descriptions of the interfaces, `docs/openapi` and `docs/asyncapi.yaml`. Tests/OpenAPI/descriptions.py reads them.
public enum Descriptions {
    private static let script = Checkout.root.appending(path: "Tests/OpenAPI/descriptions.py").path
    /// Debian's, for which python3-yaml and python3-jsonschema are packages.
    private static let interpreter = "/usr/bin/python3"

    /// Whether they can be read here. In CI (`CI=true`) this is always true, so that the tests run and fail.
    public static let canBeRead: Bool = {
        if ProcessInfo.processInfo.environment["CI"] == "true" { return true }
        let packages = ["yaml", "jsonschema"].filter {
            !FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/\($0)")
        }
        if !packages.isEmpty {
            print("SKIPPED: apt install \(packages.map { "python3-\($0)" }.joined(separator: " "))")
        }
        return packages.isEmpty
    }()

    /// A document as JSON, each reference replaced by what it names.
    ///
    /// - Parameter path: relative to `docs`.
    public static func document(_ path: String) async throws -> JSONValue {
        let file = Checkout.root.appending(path: "docs/\(path)").path
        return try JSONValue(parsing: Array(await run(["show", file]).utf8))
    }

    /// Validates `docs/asyncapi.yaml`.
    ///
    /// - Parameter schema: the path of AsyncAPI's own schema.
    /// - Returns: what is wrong; empty if nothing is.
    public static func validateAsyncAPI(_ schema: String) async throws -> String {
        let run = try await ProgramRun.outside(interpreter, [script, "validate", schema])
        return run.status == 0 ? "" : run.output
    }

    /// The routes that are described for a service's public port or its admin port, as in `GET /healthz`.
    public static func routes(of service: String, admin: Bool) async throws -> Set<String> {
        let document = try await document("openapi/\(service).yaml")
        let publicPort = document["servers"]?[0]?["url"]?.string
        var routes: Set<String> = []
        for path in document["paths"]?.members ?? [] {
            let ports = path.value["servers"]?.array?.compactMap { $0["url"]?.string }
            let isThere = ports.map { $0.contains { ($0 == publicPort) != admin } } ?? !admin
            guard isThere else { continue }
            for member in path.value.members ?? [] where member.name != "servers" && member.name != "parameters" {
                routes.insert("\(member.name.uppercased()) \(path.name)")
            }
        }
        return routes
    }

    /// What in an answer of a service is not as it is described; empty if nothing is, or if that cannot be known here.
    public static func fault(
        of response: HTTPResponse, to request: HTTPRequest, by service: String
    ) async throws -> String {
        try await fault([
            "service": .string(service), "method": .string(request.method.rawValue), "target": .string(request.target),
            "status": .integer(Int64(response.status.code)),
            "fields": .object(response.fields.map { JSONMember($0.name, .string($0.value)) }),
            "body": .string(String(decoding: response.body, as: UTF8.self)),
        ])
    }

    /// What in a record is not as it is described; empty if nothing is, or if that cannot be known here.
    public static func fault(
        ofRecord value: [UInt8], key: [UInt8], headers: [(name: String, value: String)], on topic: String
    ) async throws -> String {
        try await fault([
            "topic": .string(topic), "key": .string(String(decoding: key, as: UTF8.self)),
            "headers": .object(headers.map { JSONMember($0.name, .string($0.value)) }),
            "value": .string(String(decoding: value, as: UTF8.self)),
        ])
    }

    private static func fault(_ given: JSONValue) async throws -> String {
        guard canBeRead else { return "" }
        return try await checker.get().answer(to: given.bytes)
    }

    private static let checker = Result { try LineProgram(interpreter, [script, "check"]) }

    private static func run(_ arguments: [String]) async throws -> String {
        let run = try await ProgramRun.outside(interpreter, [script] + arguments)
        guard run.status == 0 else { throw Unreadable(description: run.output) }
        return run.output
    }

    /// A description cannot be read.
    public struct Unreadable: Error, CustomStringConvertible {
        public let description: String
    }
}
