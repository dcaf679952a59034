import OrchardJSON

/// The gateway rejected a shop's command. Nothing changed.
public struct CommandRejected: Hashable, Sendable {
    /// Why.
    public enum Reason: String, Sendable, CaseIterable {
        /// A charge of the order was accepted and has no outcome yet.
        case chargeInProgress
        case orderPaid
        case orderClosed
        /// No payment of the order has this identifier, or no money of it moved.
        case paymentNotCharged
        /// The payment is no authorisation that can be captured: it was a sale, was captured, voided, or has ended.
        case notCapturable
        /// The hold's time is over.
        case authorisationExpired
        /// More than the acquirer lets one capture of the hold.
        case amountAboveHold
        /// More than is left of what was taken.
        case amountAboveRefundable
        /// The amount is in another currency than the payment's.
        case currencyDiffers
        /// There is nothing left to undo: the payment was voided or refunded as a whole.
        case nothingLeft
        /// Another operation of the payment has no outcome yet.
        case operationInProgress
        /// The acquirer gives money back for 11 months only.
        case refundTooLate
        /// The route of the payment cannot do this, or is not in merchants.json any more.
        case noRoute
    }

    public let order: OrderID
    public let merchant: MerchantID
    public let command: CommandID
    /// The CloudEvents type of the command.
    public let commandType: String
    public let reason: Reason

    public init(order: OrderID, merchant: MerchantID, command: CommandID, commandType: String, reason: Reason) {
        self.order = order
        self.merchant = merchant
        self.command = command
        self.commandType = commandType
        self.reason = reason
    }
}

extension CommandRejected: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, merchant, command): (OrderID?, MerchantID?, CommandID?)
        var (commandType, reason): (String?, Reason?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "commandId": command = try reader.identifier()
            case "commandType": commandType = try reader.string(upTo: 100)
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            case "reason": reason = try reader.word()
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), merchant: try reader.required(merchant, "merchantId"),
            command: try reader.required(command, "commandId"),
            commandType: try reader.required(commandType, "commandType"),
            reason: try reader.required(reason, "reason"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("commandId", command.description)
        object.member("commandType", commandType)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
        object.member("reason", reason.rawValue)
    }
}
