import KeyFiles
import OrchardServiceKit

/// `order-ledger keys`: makes the keys that sign tickets.
enum KeysCommand {
    static let command = Command(name: "keys", summary: "make the keys that sign order tickets", subcommands: [add])

    private static let add = Command(
        name: "add", summary: "make a ticket key and add its public half to the key set",
        discussion: """
            Writes a new P-256 key to --key (PEM, mode 0600; a file that exists is never overwritten) and adds its public
            half to the JWKS --set, which is made when it is missing. The keys that are in the set stay.

            order-ledger signs with the key that ticket.signing.key names; all three services verify with the set, their
            setting ticket.keys, and read both files again every few seconds. To change the key: add a new one, bring the
            set to every host, and only then put the new key where ticket.signing.key points. Take the old key out of the
            set a day later, when no ticket needs it.
            """,
        options: [
            .value("key", "FILE", help: "Where the private key goes; must not exist."),
            .value("set", "FILE", help: "The public key set (JWKS) that all three services read."),
        ],
        examples: [
            .init("order-ledger keys add --key keys/ticket.pem --set keys/ticket-keys.json", "first set-up"),
            .init("order-ledger keys add --key keys/ticket-2.pem --set keys/ticket-keys.json", "change the key"),
        ]
    ) { invocation in
        try secureProcess()
        let files = TicketKeyFiles(key: try invocation.required("key"), set: try invocation.required("set"))
        guard files.key != files.set.file else { throw UsageError("--key and --set must be two files") }
        let keyID = try files.add()
        print("added ticket key \(keyID): private \(files.key.path), public \(files.set.file.path)")
        return 0
    }
}
