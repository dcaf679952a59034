import Acquirers
import Charging
import Contracts
import OrchardCrypto
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON

/// The connector to Meadow Bank.
struct Meadow: Acquirer {
    let configuration: MeadowConfiguration
    /// The merchants' names there, by account.
    let shops: [String: String]
    let client: HTTPClient

    var name: String { MeadowConfiguration.name }

    func send(_ charge: Charge, card: borrowing CardData, at time: Timestamp) async -> SendOutcome {
        guard let reference = charge.reference, let shop = shop(of: reference) else {
            return .notSent(reason: "no route leads to the account")
        }
        guard charge.kind == .sale, MeadowConfiguration.capabilities.currencies.contains(charge.amount.currency) else {
            return .unsendable(reason: "Meadow Bank makes no \(charge.kind) in \(charge.amount.currency.code)")
        }
        let number = card.withField(.accountNumber) { String(decoding: $0, as: UTF8.self) }
        let body = JSONValue.object([
            "amount": .integer(charge.amount.minorUnits), "card": .string(number ?? ""),
            "currency": .string(charge.amount.currency.code), "number": .string(reference.orderNumber),
            "order": .string(charge.reserved), "shop": .string(shop),
        ])
        return await send(body, to: "/charges", as: reference)
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        guard let reference = charge.reference else {
            return .misconfigured(reason: "no route leads to the account")
        }
        return await query(reference)
    }

    func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        guard followUp.kind == .refund, MeadowConfiguration.capabilities.currencies.contains(followUp.amount.currency)
        else { return .unsendable(reason: "Meadow Bank makes no \(followUp.kind) in \(followUp.amount.currency.code)") }
        guard let shop = shop(of: followUp.reference) else { return .notSent(reason: "no route leads to the account") }
        let body = JSONValue.object([
            "amount": .integer(followUp.amount.minorUnits), "charge": .string(followUp.original.orderNumber),
            "number": .string(followUp.reference.orderNumber), "order": .string(followUp.reserved),
            "shop": .string(shop),
        ])
        return await send(body, to: "/refunds", as: followUp.reference)
    }

    func query(_ followUp: FollowUp, at time: Timestamp) async -> QueryOutcome {
        await query(followUp.reference)
    }

    /// Sends once, and says what it came to.
    private func send(_ body: JSONValue, to path: String, as reference: AcquirerReference) async -> SendOutcome {
        switch await post(body, to: path) {
        case .notSent(let failure):
            return .notSent(reason: failure.description, fault: failure.code == .connect ? .unreachable : nil)
        case .unknown(let failure): return .unknown(reason: failure.description)
        case .answered(let answer):
            do throws(NotificationError) {
                return .answered(try read(answer.response, of: reference))
            } catch {
                return .unknown(reason: "the answer is not believed: \(error)")
            }
        }
    }

    private func query(_ reference: AcquirerReference) async -> QueryOutcome {
        guard let shop = shop(of: reference) else {
            return .misconfigured(reason: "no route leads to the account")
        }
        let body = JSONValue.object(["number": .string(reference.orderNumber), "shop": .string(shop)])
        switch await post(body, to: "/queries") {
        case .notSent(let failure), .unknown(let failure): return .failed(reason: failure.description)
        case .answered(let answer):
            do throws(NotificationError) {
                return .answered(try read(answer.response, of: reference))
            } catch {
                return .failed(reason: "the answer is not believed: \(error)")
            }
        }
    }

    func notification(_ request: HTTPRequest, at time: Timestamp) throws(NotificationError) -> AcquirerNotification {
        let message = try message(request.body, mac: request.fields["Meadow-MAC"])
        guard let account = message["account"]?.string, shops[account] != nil else {
            throw NotificationError(.account, "no route of ours has the account")
        }
        guard let number = message["number"]?.string, let seconds = message["time"]?.integer else {
            throw NotificationError(.malformed, "number and time are missing")
        }
        let reference = AcquirerReference(
            acquirer: name, account: account, orderNumber: number, time: Timestamp(seconds: seconds))
        return AcquirerNotification(reference: reference, answer: answer(message, of: reference))
    }

    private func shop(of reference: AcquirerReference) -> String? {
        reference.acquirer == name ? shops[reference.account] : nil
    }

    private func post(_ body: JSONValue, to path: String) async -> HTTPOutcome {
        let bytes = body.bytes
        return await client.send(
            HTTPClientRequest(
                method: .post, url: configuration.url + path,
                fields: ["Content-Type": "application/json", "Meadow-MAC": mac(bytes)], body: bytes,
                timeout: .seconds(5)))
    }

    /// The answer in a response, if the bank made it.
    private func read(
        _ response: HTTPResponse, of reference: AcquirerReference
    ) throws(NotificationError) -> AcquirerAnswer {
        guard response.status == .ok else { throw NotificationError(.malformed, "HTTP status \(response.status.code)") }
        let message = try message(response.body, mac: response.fields["Meadow-MAC"])
        guard message["number"]?.string == reference.orderNumber else {
            throw NotificationError(.subject, "the answer is about another charge")
        }
        return answer(message, of: reference)
    }

    private func message(_ body: [UInt8], mac given: String?) throws(NotificationError) -> JSONValue {
        guard let given, given == mac(body) else { throw NotificationError(.signature, "the MAC is wrong") }
        guard let message = try? JSONValue(parsing: body) else { throw NotificationError(.malformed, "no JSON") }
        return message
    }

    private func answer(_ message: JSONValue, of reference: AcquirerReference) -> AcquirerAnswer {
        let status = message["status"]?.string ?? ""
        let verdict: Verdict =
            switch status {
            case "paid": .succeeded(remark: nil)
            // The bank names the charge in what it says of a refund.
            case "declined": message["charge"] == nil ? .declined(.issuerDeclined) : .failed(.refused)
            case "received": .accepted
            case "none": .notFound
            default: .unclear
            }
        return AcquirerAnswer(
            verdict, result: AcquirerResult(reference: reference, code: status),
            echoed: EchoedFields(reserved: message["order"]?.string, amount: message["amount"]?.integer))
    }

    private func mac(_ body: [UInt8]) -> String {
        let key = Array(configuration.secret.utf8)
        return Hex.encode(SHA256.hash(key + SHA256.hash(key + body)))
    }
}
