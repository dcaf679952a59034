import Foundation

/// A PKPaymentToken as the device sends it.
public struct PaymentToken: Codable, Sendable {
    public struct PaymentData: Codable, Sendable {
        public var version: String?
        /// base64
        public var data: String?
        /// base64 of the CMS signature
        public var signature: String?
        public var header: Header?
    }

    public struct Header: Codable, Sendable {
        /// base64 of SHA-256 of the merchant key
        public var publicKeyHash: String
        /// hexadecimal
        public var transactionId: String
        /// base64 of a SubjectPublicKeyInfo; EC_v1
        public var ephemeralPublicKey: String?
        /// base64; RSA_v1
        public var wrappedKey: String?
        /// hexadecimal of SHA-256 of the request's applicationData
        public var applicationData: String?
    }

    public struct PaymentMethod: Codable, Sendable {
        public var displayName: String
        public var network: String
        public var type = "debit"
    }

    public var paymentData: PaymentData
    public var paymentMethod: PaymentMethod
    /// Upper-case hexadecimal, unlike the header's.
    public var transactionIdentifier: String

    /// The token as JSON.
    func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        return Array(try encoder.encode(self))
    }
}
