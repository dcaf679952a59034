import Contracts
import Ledger
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension OrdersAPI {
    /// `GET /v1/orders/{id}/contact`: whom the paid order goes to.
    ///
    /// It is the contact of the payment that paid: another token of the same order cannot redirect the goods.
    func showContact(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .contacts)
        let order = try orderID(parameters)
        let rows = try await database.withTransaction(.snapshot) { connection in
            let place = try await place(of: order, of: merchant.id, on: connection)
            return try await connection.query(
                """
                SELECT o.paid_payment, c.received_at, c.contact, c.sealed, e.erased_at
                FROM (VALUES ($1::integer, $2::uuid)) AS k(partition, order_id)
                LEFT JOIN ledger.orders AS o USING (partition, order_id)
                LEFT JOIN ledger.contact_erasures AS e USING (partition, order_id)
                LEFT JOIN ledger.contacts AS c ON c.partition = k.partition AND c.order_id = k.order_id
                    AND c.payment_id = o.paid_payment
                """, [place.partition, order])
        }
        guard let row = rows.first else { throw Problem.noSuchOrder }
        if let time = try row.optionalTime("erased_at") { throw Problem.contactErased(order, at: time) }
        guard let payment: PaymentID = try row.optionalIdentifier("paid_payment") else {
            throw Problem.orderUnpaid(order, "the order is not paid: no contact is the customer's word yet")
        }
        guard try row.optionalString("sealed") == nil else { throw Problem.contactSealed(order) }
        guard let text = try row.optionalString("contact") else { throw Problem.contactMissing(order) }
        let contact: OrderContact
        do throws(JSONError) { contact = try OrderContact(parsing: Array(text.utf8)) } catch {
            throw StoreError(.malformed, at: "contacts.contact", "order \(order): the row has no contact")
        }
        let receivedAt = try row.time("received_at")
        return .json(
            JSONWriter.object { object in
                contact.write(to: &object, orderID: order, paymentID: payment, receivedAt: receivedAt)
            }, fields: ["Cache-Control": "no-store"])
    }

    /// `DELETE /v1/orders/{id}/contact`: erases the contacts of an order that has ended, for ever. Doing it again changes
    /// nothing.
    func eraseContact(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, keyID) = try authenticator.merchant(request, .contacts)
        let order = try orderID(parameters)
        let time = now()
        let isNew = try await database.withTransaction { connection in
            let place = try await place(of: order, of: merchant.id, locked: true, on: connection)
            let status = try await connection.query(
                "SELECT status FROM ledger.orders WHERE partition = $1 AND order_id = $2", [place.partition, order]
            ).first?.word("status", as: OrderStatus.self)
            guard let status, status != .open else {
                throw Problem(
                    .conflict, code: "order-open",
                    detail: "the order can still be paid, and its goods would have no address: cancel it first",
                    members: ["orderId": .string(order.description)])
            }
            guard try await ContactStore.erase(order, in: place.partition, on: connection) else { return false }
            let event = CloudEvent(
                ContactErased(order: order, merchant: merchant.id), source: OfferStore.source, time: time,
                traceparent: TraceContext.current?.traceparent)
            try await offers.outbox.insert(
                [OutboxRow(event, topic: .erasures, partition: place.partition)], on: connection)
            return true
        }
        if isNew { logger.notice("contacts erased", ["order_id": order.description, "api_key": keyID]) }
        return HTTPResponse(status: .noContent)
    }
}

extension OrderContact {
    /// The members of the answer, in the order of their names.
    fileprivate func write(
        to object: inout JSONObjectWriter, orderID: OrderID, paymentID: PaymentID, receivedAt: Timestamp
    ) {
        if let billing { object.object("billingContact") { billing.write(to: &$0) } }
        if let invoice { object.object("invoice") { invoice.write(to: &$0) } }
        object.member("orderId", orderID.description)
        object.member("paymentId", paymentID.description)
        object.member("receivedAt", receivedAt.description)
        if let shipping { object.object("shippingContact") { shipping.write(to: &$0) } }
    }
}

extension Problem {
    fileprivate static func contactErased(_ order: OrderID, at time: Timestamp) -> Problem {
        Problem(
            .gone, code: "contact-erased", detail: "the contact was erased at \(time)",
            members: ["orderId": .string(order.description)])
    }

    fileprivate static func contactMissing(_ order: OrderID) -> Problem {
        Problem(
            .notFound, code: "contact-missing",
            detail: "there is no contact: the order asks for none, its time is over, or it arrives in a moment",
            members: ["orderId": .string(order.description)])
    }

    fileprivate static func contactSealed(_ order: OrderID) -> Problem {
        Problem(
            .serviceUnavailable, code: "contact-sealed",
            detail: "the contact cannot be opened: a key of contact.keys is missing; ask the operator to put it back",
            members: ["orderId": .string(order.description)], fields: ["Retry-After": "60"])
    }

    /// What only a paid order has.
    static func orderUnpaid(_ order: OrderID, _ detail: String) -> Problem {
        Problem(
            .conflict, code: "order-unpaid", detail: detail, members: ["orderId": .string(order.description)])
    }
}
