import Foundation
import SandboxPKI

extension Acquirer {
    /// Notifies the merchant of the result in the way of its fault, with repeats until it is acknowledged.
    func notify(_ queryID: String) async {
        guard let transaction = book[queryID], let notification = try? notification(of: transaction) else { return }
        guard (try? await Task.sleep(for: notification.delay)) != nil else { return }
        await withDiscardingTaskGroup { group in
            for _ in 0..<notification.copies {
                group.addTask { await self.deliver(notification) }
            }
        }
    }

    private func deliver(_ notification: Notification) async {
        for gap in notification.gaps {
            guard (try? await Task.sleep(for: gap)) != nil, book.notificationSent(notification.queryID) else { return }
            count("notifications sent")
            let status = outage(at: .notify) == nil ? await post(notification.url, notification.form) : nil
            guard status == 200 || status == 302 else { continue }
            book.notificationAcknowledged(notification.queryID)
            count("notifications acknowledged")
            return
        }
        count("notifications given up")
    }

    /// The notification to send, or nil when there is none.
    private func notification(of transaction: Transaction) throws(PKIError) -> Notification? {
        guard let result = transaction.result, let address = transaction.request.fields["backUrl"],
            result.movesMoney || options.notifiesFailures
        else { return nil }
        let style = transaction.fault.notification
        var shown = result
        var signature = AnswerStyle.right
        var fields = transaction.resultFields(card: try signer.card(of: transaction))
        var notification = Notification(
            queryID: transaction.queryID, url: Self.redirected(address, to: options.notificationBase), form: [],
            gaps: Notification.gaps(scale: options.timeScale))
        switch style {
        case .none: return nil
        case .right: break
        case .late: notification.delay = options.lateNotification * options.timeScale
        case .five:
            notification.copies = 5
            notification.gaps = [.zero]
        case .first: notification.gaps = [.zero]
        case .claiming(let code): shown = code
        case .forged(let forgery): signature = forgery
        case .amount:
            fields["txnAmt"] = String(transaction.amount + 1)
            fields["settleAmt"] = fields["txnAmt"]
        case .currency:
            fields["currencyCode"] = "840"
            fields["settleCurrencyCode"] = "840"
        case .merchant: fields["merId"] = "777290058199999"
        case .order: fields["orderId"] = "unknown\(transaction.traceNumber)"
        }
        fields["respCode"] = shown.text
        fields["respMsg"] = shown.message()
        notification.form = try signer.sign(fields, signature).formBody
        return notification
    }

    /// The address with another scheme, host and port.
    static func redirected(_ address: String, to base: String?) -> String {
        guard let base, let url = URLComponents(string: address), var new = URLComponents(string: base) else {
            return address
        }
        new.percentEncodedPath = url.percentEncodedPath
        new.percentEncodedQuery = url.percentEncodedQuery
        return new.string ?? address
    }
}
