import Foundation
import SandboxPKI
import Testing

@testable import SandboxAcquirer

@Suite("ACP messages")
struct ACPMessageTests {
    /// The worked example of the protocol's description: fields and the hash that is signed.
    @Test("The signed hash of the worked example")
    func digest() {
        let message = ACPMessage([
            "accNo": "6259020040003629", "accessType": "0", "backUrl": "https://pay.example.com/unionpay/notify",
            "bizType": "000802",
            "cardTransData": "{ICCardData=nyYI/RZhrTzcBF+fNgIAAYECACGDBN6tvu8=&carrierAppTp=2&carrierTp=6}",
            "certId": "68759663125", "channelType": "08", "currencyCode": "156",
            "customerInfo":
                "e2N1c3RvbWVyTm09dG9tJnBpbj04MTEwM2U4ZDllYThhZmM1YzYxNDdiMDllN2NkMmQ4ZGI4OGI4MjA4MDAyMX0=",
            "encoding": "UTF-8", "merId": "777290058110048", "orderId": "a3f1c29e7b0d4f5c8e6a1b2c3d4e5f60",
            "signMethod": "01", "txnAmt": "10000", "txnSubType": "01", "txnTime": "20261121150322", "txnType": "01",
            "version": "5.1.0", "signature": "is not signed", "reserved": "",
        ])
        let expected = "7bbd7f599de5bbeccbe9fc42a0f778c9fca885da65142d49ef332650590d57fe"
        #expect(String(decoding: message.digest, as: UTF8.self) == expected)
    }

    @Test("A form is read back as it was written")
    func form() {
        let message = ACPMessage(["respMsg": "成功[0000000]", "signature": "a+b/c==", "note": "x&y=z %"])
        #expect(ACPMessage(form: message.formBody) == message)
    }

    @Test("A body that is not a form is refused", arguments: ["a=1&a=2", "novalue", "a=%zz", "a=\u{e9}"])
    func noForm(_ text: String) {
        #expect(ACPMessage(form: Array(text.utf8)) == nil)
    }

    @Test("A changed field breaks the signature")
    func signature() throws {
        let merchant = try Merchant()
        var message = try merchant.signed(merchant.sale())
        let key = merchant.pki[.merchant].certificate.publicKey
        #expect(message.isSigned(by: key))
        message["txnAmt"] = "10001"
        #expect(!message.isSigned(by: key))
    }
}
