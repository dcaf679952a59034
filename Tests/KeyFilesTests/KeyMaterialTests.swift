import Foundation
import KeyFiles
import OrchardCrypto
import SandboxProcesses
import TestSupport
import Testing

/// Keys and certificates in every form, made by the `openssl` command.
@Suite("Files of keys in PEM, DER and PKCS#12")
final class KeyMaterialTests: Sendable {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try openssl("req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k.pem -out c.pem -subj /CN=a")
        try openssl("x509 -in c.pem -outform der -out c.cer")
        try openssl("pkcs8 -topk8 -nocrypt -in k.pem -outform der -out k.der")
    }

    private func openssl(_ arguments: String) throws {
        let run = try ProgramRun("openssl", arguments.split(separator: " ").map(String.init), in: folder.url)
        try #require(run.status == 0, "\(run.output)")
    }

    /// A PKCS#12 file of the key and its certificate.
    private func export(_ options: String = "") throws -> [UInt8] {
        try openssl("pkcs12 -export -inkey k.pem -in c.pem -passout pass:secret -out b.p12 \(options)")
        return try bytes("b.p12")
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.url.appending(path: name)))
    }

    private func read(_ bytes: [UInt8], _ password: String = "secret") throws -> KeyMaterial {
        try KeyMaterial(SecretBytes(copying: bytes), password: SecretBytes(copying: password.utf8))
    }

    private var publicKey: [UInt8] {
        get throws {
            try P256PrivateKey(pem: SecretBytes(copying: bytes("k.pem"))).publicKey.subjectPublicKeyInfo
        }
    }

    @Test("PEM and DER are told apart by their first bytes", arguments: ["k.pem", "c.pem", "c.cer", "k.der"])
    func plain(_ name: String) throws {
        let material = try read(bytes(name))
        if name.hasPrefix("k") {
            let key = try P256PrivateKey(pem: material.privateKeyPEM)
            #expect(try key.publicKey.subjectPublicKeyInfo == publicKey)
            #expect(material.certificates.isEmpty)
        } else {
            #expect(material.privateKeyPEM.count == 0)
            #expect(try material.certificates.first?.publicKey.subjectPublicKeyInfo == publicKey)
        }
    }

    @Test(
        "PKCS#12 gives the key and its certificate, as openssl, old tools and macOS write it",
        arguments: [
            "", "-legacy", "-legacy -certpbe RC2-40-CBC -keypbe PBE-SHA1-3DES", "-macalg sha512 -iter 100000",
            "-keypbe NONE -certpbe NONE",
        ])
    func bundle(_ options: String) throws {
        let material = try read(export(options))
        #expect(try P256PrivateKey(pem: material.privateKeyPEM).publicKey.subjectPublicKeyInfo == publicKey)
        #expect(try material.certificates.map { $0.publicKey.subjectPublicKeyInfo } == [publicKey])
    }

    @Test("of a chain the certificate of the key is taken")
    func chain() throws {
        try openssl("req -x509 -newkey rsa:2048 -nodes -keyout other.pem -out other.cert.pem -subj /CN=other")
        let material = try read(export("-certfile other.cert.pem"))
        #expect(try material.certificates.map { $0.publicKey.subjectPublicKeyInfo } == [publicKey])
    }

    @Test(
        "what cannot be read is refused with what to do",
        arguments: [
            ("", "other", "the password of the PKCS#12 file is another one"), ("-nomac", "secret", "has no MAC"),
            ("-nokeys", "secret", "has no private key"),
        ])
    func refused(_ options: String, _ password: String, _ reason: String) throws {
        let file = try export(options)
        let error = #expect(throws: CryptoError.self) { _ = try self.read(file, password) }
        #expect(error?.reason.contains(reason) == true, "\(String(describing: error))")
    }

    @Test("a file that wants its password hashed too often is refused before it is opened, wherever it says so")
    func iterations() throws {
        let count: [UInt8] = [0x02, 0x03, 0x01, 0x86, 0xA0]  // 100,000
        let file = try export("-iter 100000")
        let places = file.indices.dropLast(4).filter { Array(file[$0..<$0 + 5]) == count }
        #expect(places.count == 3, "the MAC, the certificate and the key")
        for place in places {
            var costly = file
            costly.replaceSubrange(place..<place + 5, with: [0x02, 0x03, 0x7F, 0xFF, 0xFF])
            let error = #expect(throws: CryptoError.self) { _ = try self.read(costly) }
            #expect(error?.reason.contains("hashed") == true, "\(String(describing: error))")
            // 8 million hashes take seconds.
            #expect(ThreadClock.cost(runs: 1, bound: 0.1) { _ = try? self.read(costly) } < 0.1)
        }
    }

    @Test("a file that is cut or changed anywhere is refused, and costs nothing")
    func damaged() throws {
        let file = try export("-iter 2 -macalg sha256")
        for count in file.indices {
            #expect(throws: CryptoError.self, "cut at \(count)") { _ = try self.read(Array(file.prefix(count))) }
        }
        for index in file.indices {
            var changed = file
            changed[index] ^= 0x41
            #expect(throws: CryptoError.self, "changed at \(index)") { _ = try self.read(changed) }
        }
    }

    @Test("garbage is refused, whatever it begins with", arguments: [[], [0x30, 0x82, 0xFF, 0xFF, 0x02, 0x01, 0x03]])
    func garbage(_ start: [UInt8]) throws {
        var generator = SystemRandomNumberGenerator()
        let file = start + (0..<65_536).map { _ in UInt8.random(in: 0x80...0xFF, using: &generator) }
        #expect(throws: CryptoError.self) { _ = try self.read(file) }
    }
}
