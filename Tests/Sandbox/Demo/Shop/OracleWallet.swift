import Foundation
import OrchardJSON
import SandboxProcesses
import SandboxWallet

/// The independent wallet in its own process, called through a pipe: `Tests/Oracles/wallet.py`.
final class OracleWallet: TokenSource {
    private let program: LineProgram

    init(_ oracles: Oracles, directory: URL) throws {
        program = try LineProgram(
            oracles.python.path, ["Tests/Oracles/wallet.py", oracles.folder.path, directory.path])
    }

    func mint(_ request: MintRequest) async throws -> MintedToken { try await ask(request, isForged: false) }

    /// For every fault, the signature is of other data: the demo uses no other fault.
    func mint(_ request: MintRequest, fault: MintingFault) async throws -> MintedToken {
        try await ask(request, isForged: true)
    }

    private func ask(_ request: MintRequest, isForged: Bool) async throws -> MintedToken {
        let answer = try await program.answer(to: Self.line(request, isForged: isForged))
        return try Self.token(Array(answer.utf8))
    }

    private static func line(_ request: MintRequest, isForged: Bool) throws -> [UInt8] {
        let currency = try WalletCurrency(request.currency)
        let type = request.content == .threeDSecure ? "3DSecure" : "EMV"
        let network = request.network == .chinaUnionPay ? "chinaUnionPay" : request.network.rawValue.lowercasedFirst
        return JSONValue.object([
            "merchant": .string(request.merchant), "amount": .string(currency.decimal(request.amount)),
            "currency": .string(request.currency), "scheme": .string(request.scheme.rawValue), "type": .string(type),
            "network": .string(network), "pin": .bool(request.content == .emvWithPIN),
            "application_data": request.applicationData.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null,
            "forged": .bool(isForged),
        ]).bytes
    }

    private static func token(_ answer: [UInt8]) throws -> MintedToken {
        let answer = try JSONValue(parsing: answer)
        guard let text = answer["token"]?.string, let payload = answer["payload"],
            let number = payload["applicationPrimaryAccountNumber"]?.string,
            let transaction = try JSONValue(parsing: Array(text.utf8))["paymentData"]?["header"]?["transactionId"]?
                .string
        else { throw DemoError("the wallet oracle answered without a token") }
        let secrets = ["onlinePaymentCryptogram", "emvData", "encryptedPINData"].compactMap {
            payload["paymentData"]?[$0]?.string
        }
        return MintedToken(
            json: Array(text.utf8), transactionID: transaction, payload: payload.bytes, accountNumber: number,
            secrets: [number] + secrets)
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
