import OrchardJSON

/// The personal data that come with a payment: whom to ship to, whom to bill, and what an invoice needs.
///
/// Nobody signed them: Apple's signature covers the card alone. Their description shows nothing, so that they reach no
/// log.
public struct OrderContact: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public var shipping: PaymentContact?
    public var billing: PaymentContact?
    public var invoice: Invoice?

    /// What the customer's invoice shows (in China: title and tax number of a company).
    public struct Invoice: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
        public let title: String
        public let taxNumber: String?

        public init(title: String, taxNumber: String? = nil) {
            self.title = title
            self.taxNumber = taxNumber
        }

        public var description: String { "Invoice(…)" }
        public var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    public init(shipping: PaymentContact? = nil, billing: PaymentContact? = nil, invoice: Invoice? = nil) {
        self.shipping = shipping
        self.billing = billing
        self.invoice = invoice
    }

    public var isEmpty: Bool { shipping == nil && billing == nil && invoice == nil }

    public var description: String { "OrderContact(…)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OrderContact: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.object { reader, name throws(JSONError) in
            guard try read(name, from: &reader) else { return try reader.skip() }
        }
    }

    /// Reads the value of one of its members.
    ///
    /// - Returns: false for the name of another member; then nothing is read.
    public mutating func read(_ name: JSONName, from reader: inout JSONReader) throws(JSONError) -> Bool {
        switch name {
        case "billingContact": billing = reader.isNull() ? nil : try PaymentContact(json: &reader)
        case "invoice": invoice = reader.isNull() ? nil : try Invoice(json: &reader)
        case "shippingContact": shipping = reader.isNull() ? nil : try PaymentContact(json: &reader)
        default: return false
        }
        return true
    }

    public func write(to object: inout JSONObjectWriter) {
        if let billing { object.object("billingContact") { billing.write(to: &$0) } }
        if let invoice { object.object("invoice") { invoice.write(to: &$0) } }
        if let shipping { object.object("shippingContact") { shipping.write(to: &$0) } }
    }
}

extension OrderContact.Invoice: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (title, taxNumber): (String?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "taxNumber": taxNumber = reader.isNull() ? nil : try reader.string(upTo: 64)
            case "title": title = try reader.string(upTo: 256)
            default: try reader.skip()
            }
        }
        self.init(title: try reader.required(title, "title"), taxNumber: taxNumber)
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("taxNumber", taxNumber)
        object.member("title", title)
    }
}
