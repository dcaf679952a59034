import ApplePayToken
import OrchardCrypto
import OrchardJSON
import SandboxWallet
import Testing

/// Apple signs the concatenated fields of a token, without separators, so the signature alone does not show where one
/// ends.
@Suite("Fields whose boundaries were moved")
struct BoundaryTests {
    /// The signed fields of a token as raw bytes.
    private struct Fields {
        var key: [UInt8]
        var data: [UInt8]
        var transactionID: [UInt8]
        var applicationData: [UInt8]?
    }

    let bench: TestWallet

    init() throws {
        bench = try TestWallet()
    }

    @Test(
        "are signed correctly, but open nothing: a token cannot be used for another transaction or order",
        arguments: [Wallet.Scheme.ec, .rsa])
    func moved(_ scheme: Wallet.Scheme) async throws {
        let plain = bench.request(scheme)
        var bound = plain
        bound.applicationData = Array("order 1".utf8)
        try await refuse(plain, at: [.decrypt]) { fields in
            fields.applicationData = fields.transactionID
            fields.transactionID = Array(fields.data.suffix(32))
            fields.data.removeLast(32)
        }
        try await refuse(bound, at: [.decrypt]) { fields in
            fields.data += fields.transactionID
            fields.transactionID = fields.applicationData ?? []
            fields.applicationData = nil
        }
        try await refuse(bound, at: [.key]) { fields in
            fields.data.insert(fields.key.removeLast(), at: 0)
        }
        try await refuse(bound, at: [.key]) { fields in
            fields.key.append(fields.data.removeFirst())
        }
    }

    private func refuse(
        _ request: MintRequest, at stages: Set<TokenStage>, _ change: (inout Fields) -> Void
    ) async throws {
        let token = try JSONValue(parsing: bench.wallet.mint(request).json)
        let data = try #require(token["paymentData"])
        let header = try #require(data["header"])
        let keyName = request.scheme == .ec ? "ephemeralPublicKey" : "wrappedKey"
        var fields = Fields(
            key: try #require(header[keyName]?.string.flatMap(Base64.decode)),
            data: try #require(data["data"]?.string.flatMap(Base64.decode)),
            transactionID: try #require(header["transactionId"]?.string.flatMap(Hex.decode)),
            applicationData: header["applicationData"]?.string.flatMap(Hex.decode))
        change(&fields)
        let publicKeyHash = try #require(header["publicKeyHash"])
        var newHeader: [JSONMember] = [
            JSONMember(keyName, .string(Base64.encode(fields.key))),
            JSONMember("publicKeyHash", publicKeyHash),
            JSONMember("transactionId", .string(Hex.encode(fields.transactionID))),
        ]
        if let applicationData = fields.applicationData {
            newHeader.append(JSONMember("applicationData", .string(Hex.encode(applicationData))))
        }
        let (signature, version) = (try #require(data["signature"]), try #require(data["version"]))
        let moved = JSONValue.object([
            "data": .string(Base64.encode(fields.data)), "header": .object(newHeader), "signature": signature,
            "version": version,
        ])
        #expect(throws: Never.self, "the signature is right") {
            try bench.verifier.verify(moved.bytes, at: TestWallet.now)
        }
        let error = try #require(try await bench.refusal(moved.bytes))
        #expect(stages.contains(error.stage), "\(error)")
    }
}
