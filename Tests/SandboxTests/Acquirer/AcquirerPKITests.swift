import Foundation
import SandboxAcquirer
import SandboxPKI
import SandboxProcesses
import TestSupport
import Testing

@Suite("Acquirer's certificates")
struct AcquirerPKITests {
    @Test("Saved certificates are the same after loading")
    func savedAndLoaded() throws {
        let merchant = try Merchant()
        let folder = try TemporaryFolder()
        try merchant.pki.save(to: folder.url)
        let copy = try AcquirerPKI(directory: folder.url)
        #expect(copy.merchants == merchant.pki.merchants)
        #expect(copy.certificateID == merchant.pki.certificateID)
        for name in AcquirerPKI.Name.allCases {
            #expect(copy[name].certificate.der == merchant.pki[name].certificate.der)
        }
    }

    /// The independent acquirer reads the folder and serves with it.
    @Test("The independent acquirer reads them", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
    func oracle() async throws {
        let folder = try TemporaryFolder()
        try Merchant().pki.save(to: folder.url)
        let program = """
            import argparse, pathlib, sys; sys.path.insert(0, sys.argv[1])
            import unionpay_acquirer as sim
            options = argparse.Namespace(dir=pathlib.Path(sys.argv[2]), storm={}, sign_threads=1)
            acquirer = sim.Acquirer(options)
            sign = acquirer.signers["good"][0]
            sign.verify_directly_issued_by(sim.x509.load_pem_x509_certificate((options.dir / "unionpay_middle.pem").read_bytes()))
            print(acquirer.merchant_cert_id, sign.subject.rfc4514_string().split("@")[2])
            """
        let result = try await Oracles.run(["-c", program, Oracles.folder, folder.url.path])
        #expect(result.output == "\(try Merchant().pki.certificateID) 中国银联股份有限公司\n")
    }
}
