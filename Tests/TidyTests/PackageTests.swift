import Foundation
import TestSupport
import Testing

@Suite("Package.swift", .ownThreads)
struct PackageTests {
    /// A target: its name, its folder and what it says it depends on.
    private struct Target {
        let name: Substring
        let folder: Substring
        let dependencies: Set<Substring>
    }

    private static func targets() throws -> [Target] {
        let text = try String(contentsOf: Checkout.root.appending(path: "Package.swift"), encoding: .utf8)
        let pattern =
            #/(?m)^ {8}(?:library|program|tests)\(\s*"(?<name>\w+)"(?:,\s*"(?<path>[\w\/]+)")?(?:,\s*\[(?<list>[^\]]*)\])?/#
        return text.matches(of: pattern).map { match in
            Target(
                name: match.output.name, folder: match.output.path ?? "Tests/\(match.output.name)",
                dependencies: Set((match.output.list ?? "").matches(of: #/"(\w+)"/#).map(\.output.1)))
        }
    }

    @Test("names no dependency that its target does not import")
    func unused() throws {
        let targets = try Self.targets()
        #expect(targets.count > 40)
        for target in targets {
            let imported = Self.imports(of: target)
            for dependency in target.dependencies.subtracting(imported) {
                // Tests start a program without importing it.
                let isProgram = ["TokenIngest", "ChargeGateway", "OrderLedger", "Sandbox"].contains(dependency)
                #expect(isProgram, "\(target.name) does not import \(dependency)")
            }
        }
    }

    // Failure scenario 47.
    @Test("gives order-ledger nothing of an acquirer: what it replays can charge nobody")
    func replay() throws {
        let targets = try Self.targets()
        var (reached, open): (Set<Substring>, [Substring]) = ([], ["OrderLedger"])
        while let name = open.popLast() {
            guard reached.insert(name).inserted else { continue }
            open += targets.first { $0.name == name }?.dependencies ?? []
        }
        #expect(reached.isSuperset(of: ["OrderLedger", "Ledger", "Contracts"]))
        #expect(reached.isDisjoint(with: ["Acquirers", "Charging", "ChargeGateway"]))
    }

    private static func imports(of target: Target) -> Set<Substring> {
        let nested = ["Shared/HTTP/Types", "Shared/HTTP/Server", "Shared/HTTP/Client", "Shared/HTTP/Admin"]
        let files = SourceFile.all.filter { file in
            file.path.hasPrefix(target.folder + "/")
                && !nested.contains { $0 != target.folder && target.folder.hasPrefix($0) }
        }
        return Set(
            files.flatMap { file in
                file.text.matches(of: #/(?m)^(?:@\w+ |public |internal )*import (?:\w+ )?(\w+)/#).map(\.output.1)
            })
    }
}
