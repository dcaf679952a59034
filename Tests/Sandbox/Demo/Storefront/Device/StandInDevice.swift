import Foundation
import OrchardCrypto
import OrchardHTTPTypes
import OrchardJSON
import SandboxSessions
import SandboxWallet

/// The iPhone behind the stand-in of the sheet: `POST /sandbox/token`.
///
/// As a device does, it demands the merchant's session and makes a token only for what the sheet showed.
struct StandInDevice: Sendable {
    let wallet: Wallet
    /// Apple's identifier of the shop.
    let merchant: String

    /// Makes the token of an authorised payment: Apple's `ApplePayPaymentToken`.
    ///
    /// - Throws: 400 for what is no request, 403 without a session that holds.
    func pay(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
        try request.requireContentType("application/json")
        let body: StandInPayment
        do throws(JSONError) { body = try StandInPayment(parsing: request.body) } catch { throw .malformed(error) }
        guard body.merchantIdentifier == merchant else {
            throw Problem(
                .badRequest, code: "merchant-unknown", detail: "the wallet knows this merchant only: \(merchant)")
        }
        try check(body.session, for: request)
        guard let currency = try? WalletCurrency(body.currency), let amount = currency.minorUnits(body.amount) else {
            throw Problem(.badRequest, code: "invalid-amount", detail: "amount and currency are as in 12.50 and CNY")
        }
        guard let card = StandInCard.all.first(where: { $0.id == body.card }) else {
            throw Problem(.badRequest, code: "card-unknown", detail: "GET /sandbox/cards lists the cards")
        }
        var mint = MintRequest(merchant: merchant, amount: amount, currency: currency.code)
        mint.content = .emv
        mint.accountNumber = card.number
        mint.displayName = "\(card.displayName) \(card.suffix)"
        mint.type = card.type
        mint.applicationData = body.applicationData
        guard let token = try? wallet.mint(mint) else {
            throw Problem(.internalServerError, code: "no-token", detail: "the wallet made no token")
        }
        return .json(token.json)
    }

    /// A device shows no sheet for a session that is not Apple's, is too old, or is of another merchant or domain.
    private func check(_ json: JSONValue, for request: HTTPRequest) throws(Problem) {
        let host = (request.fields["Host"] ?? "").prefix { $0 != ":" }
        let reason: String
        if let session = MerchantSession(json, from: wallet) {
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            if session.merchant != MerchantSession.name(of: merchant) {
                reason = "it is another merchant's"
            } else if session.domain != host {
                reason = "it is for pages of \(session.domain)"
            } else if session.expiresAt <= now {
                reason = "it has ended; ask for one for each sheet"
            } else {
                return
            }
        } else {
            reason = "it is not what Apple's server answered"
        }
        throw Problem(.forbidden, code: "session-refused", detail: "no sheet for this merchant session: \(reason)")
    }
}
