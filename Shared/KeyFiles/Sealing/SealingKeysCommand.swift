import Contracts
import OrchardJOSE
import OrchardServiceKit

/// The commands `charge-gateway keys` and contact-keys of order-ledger: makes and destroys the keys that something is sealed to.
public struct SealingKeysCommand: Sendable {
    let use: SealingUse

    public init(_ use: SealingUse) { self.use = use }

    public var command: OrchardServiceKit.Command {
        .init(
            name: use.command, summary: "make and destroy the keys that \(use.data) \(verb) sealed to",
            subcommands: [rotate, add, prune])
    }

    private var verb: String { use.data.hasSuffix("contacts") ? "are" : "is" }

    private var files: [CommandOption] {
        [
            .value(
                "private", "FILE", help: "\(use.program)'s own key set (its setting \(use.setting).keys); mode 0600."),
            .value("public", "FILE", help: "The public key set (token-ingest's setting \(use.setting).keys)."),
        ]
    }

    /// A command line with both files.
    private func example(_ subcommand: String) -> String {
        "\(use.program) \(use.command) \(subcommand) --private \(use.setting)-private.json "
            + "--public \(use.setting)-public.json"
    }

    private var rotate: OrchardServiceKit.Command {
        .init(
            name: "rotate", summary: "make the next sealing key when it is time, and destroy those that are over",
            discussion: """
                Makes the next key a day before it is needed, and takes keys that started \(use.openingText) ago or earlier out
                of both sets. Run again it changes nothing more: a timer runs it every hour, so that a day of failures is
                seen before there is no key.
                """,
            options: files, examples: [.init(example("rotate"), "every hour")]
        ) { invocation in
            try secureProcess()
            let (added, over) = try sets(invocation).rotate(now: .now)
            if let added { print(Self.line(added)) }
            for keyID in over { print("destroyed sealing key \(keyID)") }
            if added == nil, over.isEmpty { print("it is not time yet") }
            return 0
        }
    }

    private var add: OrchardServiceKit.Command {
        .init(
            name: "add", summary: "make a sealing key and add it to both key sets",
            discussion: """
                Adds a new P-256 key pair to the JWKS --private and its public half to the JWKS --public. Both are made when
                they are missing; keys that are in them stay. Running services notice the new files by themselves.

                A key seals for 24 hours and opens for \(use.openingText). It starts in an hour, so that every host has it by
                then; sooner when no other key seals until then, at once for the first key. A timer runs
                \(use.command) rotate instead, which makes a key when it is time.
                """,
            options: files + [
                .value("starts", "TIME", help: "When it starts to seal, as 2026-11-21T03:00:00Z; see above without it.")
            ],
            examples: [
                .init(example("add"), "the first key, or one more"),
                .init("\(example("add")) \\\n      --starts 2026-11-21T03:00:00Z", "a key for later"),
            ]
        ) { invocation in
            try secureProcess()
            let now = Timestamp.now
            let key = try sets(invocation).add(start: Self.start(invocation, now: now), now: now)
            print(Self.line(key))
            return 0
        }
    }

    private static func line(_ key: JWK) -> String {
        let span = [key.notBefore, key.expires].compactMap { $0.map { "\(Timestamp(seconds: $0))" } }
        return "added sealing key \(key.keyID): seals \(span.joined(separator: " to "))"
    }

    private var prune: OrchardServiceKit.Command {
        .init(
            name: "prune", summary: "destroy the sealing keys whose life is over",
            discussion: """
                Takes keys that started \(use.openingText) ago or earlier out of both key sets. What is sealed to them, for
                example on Kafka, can never be read again; \(use.loss). Keys without exp stay.
                """,
            options: files, examples: [.init(example("prune"), "what is over")]
        ) { invocation in
            try secureProcess()
            let over = try sets(invocation).prune(now: .now)
            for keyID in over { print("destroyed sealing key \(keyID)") }
            if over.isEmpty { print("no sealing key is over") }
            return 0
        }
    }

    private func sets(_ invocation: Invocation) throws(UsageError) -> SealingKeyFiles {
        let files = SealingKeyFiles(
            use, privateSet: try invocation.required("private"), publicSet: try invocation.required("public"))
        guard files.privateSet.file != files.publicSet.file else {
            throw UsageError("--private and --public must be two files")
        }
        return files
    }

    private static func start(_ invocation: Invocation, now: Timestamp) throws(UsageError) -> Timestamp? {
        guard let text = invocation[option: "starts"] else { return nil }
        guard let time = Timestamp(rfc3339: text) else {
            throw UsageError("--starts must be a time like 2026-11-21T03:00:00Z")
        }
        guard time >= now else { throw UsageError("--starts \(text) is past; leave it out to start as soon as may be") }
        return time
    }
}
