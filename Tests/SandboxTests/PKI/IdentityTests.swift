import Foundation
import SandboxPKI
import SandboxProcesses
import TestSupport
import Testing

@Suite("Identities")
struct IdentityTests {
    private func template(serialBits: Int = 63) -> CertificateTemplate {
        var template = CertificateTemplate(commonName: "Test", validity: 0...4_102_444_800)
        template.serialBits = serialBits
        return template
    }

    @Test("Serial numbers are positive and no longer than requested", arguments: [8, 40, 63, 159])
    func serialNumbers(_ bits: Int) throws {
        let key = try PrivateKey(.p256)
        let numbers = try (0..<20).map { _ in
            try Identity.issue(template(serialBits: bits), key: key).certificate.serialNumberDecimal
        }
        for number in numbers { #expect((1...(bits * 302 / 1_000 + 1)).contains(number.count)) }
        #expect(Set(numbers).count > 10)
    }

    @Test(
        "Keys come back from PEM and sign under their certificate", arguments: [PrivateKey.Kind.p256, .p384, .rsa2048])
    func keys(_ kind: PrivateKey.Kind) throws {
        let identity = try Identity.issue(template(), key: PrivateKey(kind))
        let copy = try PrivateKey(pem: identity.key.pem)
        let signature = try copy.sign([1, 2, 3])
        let certificate = try Certificate(pem: identity.certificate.pem)
        #expect(certificate.publicKey.verify(signature, of: [1, 2, 3]))
        #expect(!certificate.publicKey.verify(signature, of: [1, 2, 4]))
        #expect(copy.isRSA == (kind == .rsa2048))
    }

    /// The hand-made chain of certificates, checked by the `openssl` command.
    @Test("OpenSSL's own verification accepts the chain")
    func chain() async throws {
        var authority = template()
        authority.isAuthority = true
        authority.usage = [.certificateSigning, .listSigning]
        let root = try Identity.issue(authority, key: PrivateKey(.p384), digest: .sha384)
        authority.commonName = "Middle"
        let middle = try Identity.issue(authority, key: PrivateKey(.p256), by: root)
        var leaf = template()
        leaf.commonName = "Leaf 张三"
        leaf.usage = [.digitalSignature]
        let end = try Identity.issue(leaf, key: PrivateKey(.rsa2048), by: middle)
        let folder = try TemporaryFolder()
        for (name, identity) in [("root", root), ("middle", middle), ("leaf", end)] {
            try Data(identity.certificate.pem.utf8).write(to: folder.url.appending(path: name))
        }
        let verify = ["verify", "-x509_strict", "-CAfile", "root", "-untrusted", "middle", "leaf"]
        let result = try await ProgramRun.outside("openssl", verify, in: folder.url)
        #expect(result.output == "leaf: OK\n")
    }
}
