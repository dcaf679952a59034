import Charging
import Contracts
import Foundation
import OrchardHTTPTypes
import SandboxAcquirer
import SandboxPKI
import TestSupport
import Testing

@testable import Acquirers

/// Anybody may send a notification: none keeps the gateway busy for long.
///
/// The tests run without optimisation, which slows down the reading of text but not OpenSSL. So a body may also cost as much
/// as reading an ordinary form of its size.
@Suite("The cost of bad notifications", .serialized)
struct CostTests {
    private let fixture: UnionPayFixture
    private let charge: Charge

    init() throws {
        fixture = try UnionPayFixture()
        charge = try Sample.charge()
    }

    private func message(_ changes: [String: String] = [:]) throws -> SignedMessage {
        try SignedMessage(UnionPayFixture.subject(of: charge), changes).signed(by: fixture.pki[.sign])
    }

    /// A genuine message with another certificate.
    private func body(_ pem: String) throws -> [UInt8] {
        var message = try message()
        message.fields["signPubKeyCert"] = pem
        return message.form
    }

    private func certificate(
        _ key: [UInt8]? = nil, _ change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws -> String {
        let stranger = try PrivateKey(.p256)
        let now = UnionPayFixture.now.seconds
        var template = CertificateTemplate(
            commonName: "041@8310000000083040@中国银联股份有限公司@00016495", validity: (now - 1_000)...(now + 1_000))
        change(&template)
        return PEM.encode(
            "CERTIFICATE",
            try template.certificate(
                over: key ?? stranger.publicKey.subjectPublicKeyInfo, signedBy: stranger,
                issuer: fixture.pki[.middle].certificate.subject))
    }

    private func bad() throws -> [(String, [UInt8])] {
        let genuine = fixture.pki[.sign].certificate.pem
        func repeated(_ part: String, _ count: Int) -> [UInt8] { Array(String(repeating: part, count: count).utf8) }
        return [
            ("explicit parameters, compressed points", try body(certificate(CostlyKey.explicitParameters))),
            ("a huge exponent", try body(certificate(CostlyKey.hugeExponent))),
            ("a modulus of 16384 bits", try body(certificate(CostlyKey.hugeModulus))),
            ("a serial number of 3 KB", try body(certificate { $0.serialBits = 24_000 })),
            ("a stranger's certificate in UnionPay's name", try body(certificate())),
            ("two certificates", try body(genuine + genuine)),
            ("20 certificates", try body(String(repeating: genuine, count: 20))),
            ("a certificate of 40 KB", try body(PEM.encode("CERTIFICATE", [UInt8](repeating: 0x30, count: 30_000)))),
            ("a genuine certificate, much beside it", try message().form + Array("&x=".utf8) + repeated("a", 60_000)),
            ("a genuine certificate, many braces", try message().form + Array("&x=".utf8) + repeated("{}", 30_000)),
            ("20,000 fields", repeated("a=&", 20_000)), ("names in escapes", repeated("%41=1&", 10_000)),
            ("a version of marks", Array("version=\(CombiningMarks.text(30_000))".utf8)),
            ("a version of 30 marks a letter", Array("version=\(CombiningMarks.streamSafeText(30_000))".utf8)),
            ("a long name", repeated("a", 60_000)), ("escapes", Array("a=".utf8) + repeated("%41", 20_000)),
        ]
    }

    @Test("no body up to 64 KB costs more than 20 good notifications")
    func bound() throws {
        let genuine = try message().form
        _ = try fixture.unionPay.notification(UnionPayFixture.request(genuine), at: UnionPayFixture.now)
        let good = ThreadClock.cost(runs: 20) {
            _ = try? fixture.unionPay.notification(UnionPayFixture.request(genuine), at: UnionPayFixture.now)
        }
        let bound = 20 * good + formCost()
        for (name, body) in try bad() {
            #expect(body.count <= 65_536, "\(name) is a body that comes in")
            var isBelieved = false
            let cost = ThreadClock.cost(runs: 3, bound: bound) {
                isBelieved =
                    (try? fixture.unionPay.notification(UnionPayFixture.request(body), at: UnionPayFixture.now)) != nil
            }
            #expect(!isBelieved, "\(name)")
            #expect(cost <= bound, "\(name) costs \(Int(cost / good)) good notifications")
        }
    }

    /// The processor time of reading an ordinary form of the maximum size.
    private func formCost() -> Double {
        let field = "orderId=0190a0b0c0d0e0f00102030405060708&txnAmt=12345"
        let form = Array(repeating: field, count: 65_536 / (field.utf8.count + 1)).joined(separator: "&")
        return ThreadClock.cost(runs: 5) { _ = FormEncoding.decode(form[...]) }
    }
}
