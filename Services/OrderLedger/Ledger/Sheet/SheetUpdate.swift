import Contracts
import OrchardJSON

/// The answer to a callback of the sheet, as Apple Pay JS and PassKit take it.
public struct SheetUpdate: Sendable {
    /// What the customer changed.
    public enum Kind: String, Sendable, CaseIterable {
        case couponCode, paymentMethod, shippingContact, shippingMethod

        /// The member of the answer, and the name of Apple's object behind `ApplePay`.
        var member: String { "\(rawValue)Update" }
    }

    public let kind: Kind
    public let sheet: PaymentSheet
    /// Empty when the choice is accepted.
    public let errors: [SheetError]

    public init(_ kind: Kind, _ sheet: PaymentSheet, errors: [SheetError] = []) {
        self.kind = kind
        self.sheet = sheet
        self.errors = errors
    }

    /// Writes Apple's object under its name.
    public func write(to object: inout JSONObjectWriter) {
        object.object(kind.member) { object in
            if !errors.isEmpty {
                object.member("errors", .array(errors.map(\.json)))
            }
            sheet.write(sheet.lines, "newLineItems", to: &object)
            sheet.writeMethods("newShippingMethods", to: &object)
            object.object("newTotal") { sheet.total.write(to: &$0) }
        }
    }

    /// Writes the properties of PassKit's update (`PKPaymentRequestUpdate` and its kinds).
    public func writePassKit(to object: inout JSONObjectWriter) {
        if !errors.isEmpty {
            object.member("errors", .array(errors.map(\.passKitJSON)))
        }
        sheet.writeSummaryItems(to: &object)
        sheet.writeMethods("shippingMethods", to: &object)
        // PKPaymentAuthorizationStatus: 0 is success. Errors alone mark what is wrong.
        object.member("status", Int64(0))
    }
}
