import Contracts
import Foundation
import KeyFiles
import OrchardServiceKit

/// `token-ingest keys`: makes and examines the keys that Apple encrypts tokens to, and merchants' identities for the web.
enum KeysCommand {
    static let command = Command(
        name: "keys", summary: "make and examine keys and certificates of Apple Pay", subcommands: [csr, check, list])

    private static let csr = Command(
        name: "csr", summary: "make a key and the request for its certificate",
        discussion: """
            Writes a new private key to --key (PEM, mode 0600) and a certificate signing request for Apple to --output.
            A file that exists is never overwritten. Prints what to do next at Apple's site and here.

            The use is processing (tokens are encrypted to it; the default) or identity (Apple knows the merchant by it when
            a page asks for a session; RSA with 2048 bits).

            For processing, ec (P-256) is for all countries but mainland China, where Apple wants rsa (2048 bits). A
            merchant that sells in both has two merchant identifiers at Apple.
            """,
        options: [
            .value("use", "USE", help: "processing or identity; processing without it."),
            .value("algorithm", "NAME", help: "ec or rsa; ec without it, rsa for an identity."),
            .value("key", "FILE", help: "Where the private key goes; must not exist."),
            .value("output", "FILE", help: "Where the request goes; must not exist."),
            .value("name", "TEXT", help: "The common name in the request; Apple replaces it in the certificate."),
        ],
        examples: [
            .init("token-ingest keys csr --key apple/2026-key.pem --output apple/2026.csr", "every 25 months"),
            .init(
                "token-ingest keys csr --algorithm rsa --key apple/china-key.pem --output apple/china.csr",
                "for mainland China"),
            .init(
                "token-ingest keys csr --use identity --key apple/identity-key.pem --output apple/identity.csr",
                "for Apple Pay on the web"),
        ]
    ) { invocation in
        try secureProcess()
        let files = try CertificateRequestFiles(invocation)
        try files.make()
        print(files.nextSteps, terminator: "")
        return 0
    }

    private static let check = Command(
        name: "check", summary: "examine keys and certificates of Apple Pay",
        discussion: """
            Reads private keys, payment processing and Merchant Identity certificates in PEM, DER (Apple's .cer) or PKCS#12
            (.p12), in any order, and tells algorithm and use, merchant, publicKeyHash (as in tokens), validity, whether key
            and certificate belong together, and what is wrong. Exit status: 0 nothing is wrong, 1 something is, 2 wrong usage.
            """,
        arguments: [.init("FILE", help: "A key, a certificate, or both in one file.", isRepeatable: true)],
        options: [
            .value("password-file", "FILE", help: "The password of the PKCS#12 files; mode 0600."),
            .value("merchants", "FILE", help: "Also tells to which merchant of this merchants.json they belong."),
        ],
        examples: [
            .init("token-ingest keys check apple/2026-key.pem apple_pay.cer --merchants merchants.json", "after Apple"),
            .init("token-ingest keys check apple.p12 --password-file apple.password", "what Keychain Access exported"),
        ]
    ) { invocation in
        try secureProcess()
        let password = invocation[option: "password-file"].map { KeyFile($0) }
        let merchants = try invocation[option: "merchants"].map { try MerchantsFile(path: $0) }
        let check = KeyCheck(
            paths: invocation.arguments, password: password, merchants: merchants.map(KnownKeys.init), at: .now)
        return report(check.reports)
    }

    private static let list = Command(
        name: "list", summary: "list the keys that merchants.json names",
        discussion: """
            Reads the payment processing keys and the identities of every merchant as the service does, and tells for each
            what keys check tells. A certificate that ends within 30 days is a problem. Exit status: 0 no problem, 1 problems, 2 wrong
            usage. The service itself warns in its log and in /readyz, and has a metric.
            """,
        options: [.value("merchants", "FILE", help: "The merchants.json.")],
        examples: [.init("token-ingest keys list --merchants merchants.json", "every day, from cron")]
    ) { invocation in
        try secureProcess()
        return report(KeyList(try MerchantsFile(path: invocation.required("merchants")), at: .now).reports)
    }

    private static func report(_ reports: [KeyReport]) -> Int32 {
        for report in reports { print(report.text) }
        let count = reports.reduce(0) { $0 + $1.problems.count }
        print("RESULT \(count == 1 ? "1 problem" : "\(count) problems")")
        return count == 0 ? 0 : 1
    }
}
