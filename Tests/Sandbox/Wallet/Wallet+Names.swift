import SandboxPKI

extension Wallet {
    /// How the payment data are encrypted and signed.
    public enum Scheme: String, CaseIterable, Codable, Sendable {
        /// Elliptic curves: everywhere but China.
        case ec = "EC_v1"
        /// RSA: China.
        case rsa = "RSA_v1"
    }

    /// A card network, with the name it has in tokens.
    public enum Network: String, CaseIterable, Sendable {
        case visa = "Visa"
        case masterCard = "MasterCard"
        case amex = "AmEx"
        case jcb = "JCB"
        case chinaUnionPay = "ChinaUnionPay"

        /// How the network's card numbers begin and how long they are.
        var range: (prefix: String, length: Int) {
            switch self {
            case .visa: ("4", 16)
            case .masterCard: ("52", 16)
            case .amex: ("37", 15)
            case .jcb: ("35", 16)
            case .chinaUnionPay: ("6228", 19)
            }
        }

        /// The electronic commerce indicator, where the network sends one.
        var electronicCommerceIndicator: String? {
            switch self {
            case .visa: "7"
            case .amex, .jcb: "5"
            case .masterCard, .chinaUnionPay: nil
            }
        }

        /// A made-up card number with the right check digit (Luhn).
        func accountNumber() -> String {
            let digits = range.prefix + Randomness.digits(range.length - 1 - range.prefix.count)
            let sum = digits.reversed().compactMap(\.wholeNumberValue).enumerated().reduce(0) { sum, digit in
                let weighted = digit.element * (digit.offset % 2 == 0 ? 2 : 1)
                return sum + weighted / 10 + weighted % 10
            }
            return digits + String((10 - sum % 10) % 10)
        }
    }

    /// The card's content in the token.
    public enum Content: String, CaseIterable, Sendable {
        /// An online payment cryptogram.
        case threeDSecure = "3DSecure"
        /// Chip data.
        case emv = "EMV"
        /// Chip data and an encrypted PIN: RSA_v1 in China.
        case emvWithPIN = "EMV+PIN"
    }
}
