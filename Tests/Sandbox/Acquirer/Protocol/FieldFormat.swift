import Foundation

/// The allowed format of a field's value.
struct FieldFormat: Sendable {
    let matches: @Sendable (String) -> Bool

    static func oneOf(_ values: String...) -> Self { Self { values.contains($0) } }

    static func digits(_ count: ClosedRange<Int>) -> Self {
        Self { count.contains($0.utf8.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    static func alphanumeric(_ count: ClosedRange<Int>) -> Self {
        Self { text in
            count.contains(text.utf8.count) && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    /// The formats of open.unionpay.com's pages for the fields that the simulator reads.
    static let all: [String: FieldFormat] = [
        "version": oneOf("5.1.0"), "encoding": FieldFormat { $0.lowercased() == "utf-8" }, "signMethod": oneOf("01"),
        "certId": digits(1...128), "merId": alphanumeric(15...15), "accessType": oneOf("0"), "txnType": digits(2...2),
        "txnSubType": digits(2...2), "bizType": digits(6...6), "channelType": oneOf("07", "08"),
        "orderId": alphanumeric(8...40), "txnTime": FieldFormat { BeijingTime($0) != nil },
        "txnAmt": FieldFormat { digits(1...12).matches($0) && !$0.hasPrefix("0") }, "currencyCode": oneOf("156"),
        "queryId": digits(21...21), "origQryId": digits(21...21), "origOrderId": alphanumeric(8...40),
        "origTxnTime": FieldFormat { BeijingTime($0) != nil }, "certType": oneOf("01"), "fileType": oneOf("00"),
        "settleDate": FieldFormat { BeijingTime("2028\($0)000000") != nil }, "encryptCertId": digits(1...128),
        "backUrl": FieldFormat { text in
            ["http://", "https://"].contains { text.hasPrefix($0) } && text.utf8.count <= 256
                && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        },
        "reqReserved": FieldFormat { text in
            (1...1024).contains(text.utf8.count) && !text.contains { "&{}[]\"'".contains($0) }
        },
        "accNo": FieldFormat { digits(1...24).matches($0) || isCiphertext($0) },
    ]

    /// Whether it can be an RSA-2048 ciphertext in base64.
    static func isCiphertext(_ text: String) -> Bool { text.utf8.count >= 300 && Data(base64Encoded: text) != nil }
}
