import Contracts
import Foundation
import KeyFiles
import OrchardServiceKit

/// `token-ingest inspect`: explains the verification of one token to an operator.
enum InspectCommand {
    static let command = Command(
        name: "inspect", summary: "verify and decrypt one token, and say what is wrong with it",
        discussion: """
            Reads a PKPaymentToken, its paymentData object, or the body of POST /v1/payments from standard input and
            prints a JSON object: verdict (accept or reject), the last stage (\(Inspection.stages)),
            the reason, version, signedAt, leaf, transactionId and the payload, card number and cryptograms masked.
            Without a key it verifies only. Exit status: 0 accepted, 1 rejected, 2 wrong usage.

            A token is fresh for five minutes: an older one is rejected at stage time unless --at names its time.
            """,
        options: [
            .value("merchants", "FILE", help: "Opens the token with the keys that this merchants.json names."),
            .value(
                "key", "FILE", help: "A processing key in PEM; followed by its certificate or merchant.",
                repeatable: true),
            .value("certificate", "FILE", help: "The certificate of the key before it.", repeatable: true),
            .value("merchant-id", "ID", help: "The merchant identifier of the key before it.", repeatable: true),
            .value("root", "FILE", help: "Trusts this root certificate instead of Apple Root CA - G3."),
            .value("at", "TIME", help: "When the token came in, as 2018-01-26T13:55:18Z; now without it."),
            .flag("reveal", help: "Shows card number, cryptogram and PIN data."),
        ],
        examples: [
            .init("token-ingest inspect < token.json", "verify only"),
            .init(
                "token-ingest inspect --merchants merchants.json --at 2018-01-26T13:55:18Z < token.json",
                "verify and decrypt an old token"),
            .init(
                "token-ingest inspect --key key.pem --merchant-id merchant.com.example.shop < token.json",
                "decrypt with one key"),
        ],
        body: { invocation in
            try secureProcess()
            let inspection = try Inspection(invocation, now: .now)
            // Blocks this thread until the token was read: the program does nothing else.
            let token = try FileHandle.standardInput.readToEnd() ?? Data()
            let report = await inspection.report(on: Inspection.unwrapped(Array(token)))
            try FileHandle.standardOutput.write(contentsOf: Data(report.text.utf8))
            return report.status
        })
}
