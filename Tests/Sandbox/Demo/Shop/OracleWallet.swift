import Foundation
import OrchardJSON
import OrchardServiceKit
import SandboxWallet

/// The independent wallet in its own process, called through a pipe: `Tests/Oracles/wallet.py`.
final class OracleWallet: TokenSource {
    private struct Pipes {
        let process: Process
        let requests: FileHandle
        let answers: FileHandle
        var buffer: [UInt8] = []
    }

    private let pipes: Locked<Pipes>
    /// Reading from the pipe blocks, so it runs on one thread of its own, request after request.
    private let queue = DispatchQueue(label: "oracle-wallet")

    init(_ oracles: Oracles, directory: URL) throws {
        let process = Process()
        process.executableURL = oracles.python
        process.arguments = ["Tests/Oracles/wallet.py", oracles.folder.path, directory.path]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pipes = Locked(
            Pipes(process: process, requests: input.fileHandleForWriting, answers: output.fileHandleForReading))
    }

    func mint(_ request: MintRequest) async throws -> MintedToken { try await ask(request, isForged: false) }

    /// For every fault, the signature is of other data: the demo uses no other fault.
    func mint(_ request: MintRequest, fault: MintingFault) async throws -> MintedToken {
        try await ask(request, isForged: true)
    }

    private func ask(_ request: MintRequest, isForged: Bool) async throws -> MintedToken {
        let line = try Self.line(request, isForged: isForged)
        let answer: [UInt8] = try await withCheckedThrowingContinuation { continuation in
            queue.async { [pipes] in
                continuation.resume(with: Result { try pipes.withLock { try Self.exchange(line, &$0) } })
            }
        }
        return try Self.token(answer)
    }

    private static func exchange(_ line: [UInt8], _ pipes: inout Pipes) throws -> [UInt8] {
        try pipes.requests.write(contentsOf: line)
        while true {
            if let end = pipes.buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pipes.buffer.removeSubrange(...end) }
                return Array(pipes.buffer[..<end])
            }
            let bytes = pipes.answers.availableData
            guard !bytes.isEmpty else { throw DemoError("the wallet oracle has ended") }
            pipes.buffer += bytes
        }
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
        ]).bytes + [UInt8(ascii: "\n")]
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
