import Contracts
import OrchardJSON
import Testing

@Suite("The contact that an order asks for")
struct RequiredContactTests {
    private static func contact(_ json: String) throws -> PaymentContact {
        try PaymentContact(parsing: Array(json.utf8))
    }

    private static let street = #""countryCode":"cn","addressLines":["1 Nanjing Rd"]"#

    @Test(
        "is complete with what every country's address has",
        arguments: [
            ([.name], #"{"familyName":"王"}"#), ([.name], #"{"givenName":"Ada"}"#),
            ([.phoneticName], #"{"phoneticGivenName":"ada"}"#), ([.phone], #"{"phoneNumber":"+86 10"}"#),
            ([.email], #"{"emailAddress":"ada@tea.example"}"#),
            ([.postalAddress], "{\(street),\"locality\":\"上海\"}"),
            // Hong Kong has no postal codes, Singapore no provinces.
            ([.postalAddress], "{\(street),\"subLocality\":\"Wan Chai\"}"),
            ([.postalAddress], "{\(street),\"postalCode\":\"048582\"}"),
        ] as [([ContactField], String)])
    func complete(_ fields: [ContactField], _ json: String) throws {
        let contact = try Self.contact(json)
        #expect(
            RequiredContact(shipping: fields).errors(
                in: OrderContact(shipping: contact), language: .english
            ).isEmpty)
    }

    @Test(
        "lacks a part, which Apple's error names",
        arguments: [
            (.name, "{}", .name), (.phoneticName, #"{"givenName":"Ada"}"#, .phoneticName),
            (.phone, #"{"phoneNumber":"--"}"#, .phoneNumber), (.email, #"{"emailAddress":"ada"}"#, .emailAddress),
            (.email, #"{"emailAddress":"a b@c"}"#, .emailAddress), (.email, #"{"emailAddress":"@c"}"#, .emailAddress),
            (.postalAddress, "{}", .countryCode), (.postalAddress, #"{"countryCode":"China"}"#, .countryCode),
            (.postalAddress, #"{"countryCode":"CN","addressLines":[" "]}"#, .addressLines),
            (.postalAddress, "{\(street)}", .locality),
        ] as [(ContactField, String, PaymentContact.Field)])
    func incomplete(_ field: ContactField, _ json: String, _ error: PaymentContact.Field) throws {
        let contact = try Self.contact(json)
        let errors = RequiredContact(shipping: [field]).errors(
            in: OrderContact(shipping: contact), language: .english)
        #expect(errors.map(\.code) == [.shippingContactInvalid])
        #expect(errors.map(\.contactField) == [error])
    }

    @Test("is missing as a whole: every part is named, of both contacts")
    func missing() {
        let errors = RequiredContact(shipping: [.name, .email], billing: [.postalAddress, .email]).errors(
            in: OrderContact(), language: .english)
        #expect(errors.map(\.code) == [.shippingContactInvalid, .shippingContactInvalid, .billingContactInvalid])
        #expect(errors.map(\.contactField) == [.name, .emailAddress, .countryCode])
    }

    @Test("is all that is kept; an invoice is the customer's own wish")
    func part() throws {
        let contact = try Self.contact(
            "{\(Self.street),\"givenName\":\"Ada\",\"emailAddress\":\"ada@tea.example\",\"phoneNumber\":\"110\"}")
        let invoice = OrderContact.Invoice(title: "Orchard Ltd", taxNumber: "91310000")
        let given = OrderContact(shipping: contact, billing: contact, invoice: invoice)
        let part = RequiredContact(shipping: [.email], billing: [.name]).part(of: given)
        #expect(part.shipping?.emailAddress == "ada@tea.example" && part.shipping?.givenName == nil)
        #expect(part.shipping?.addressLines == nil && part.shipping?.phoneNumber == nil)
        #expect(part.billing?.givenName == "Ada" && part.billing?.emailAddress == nil)
        #expect(part.invoice == invoice)
        #expect(RequiredContact().part(of: OrderContact(shipping: contact)).isEmpty)
    }

    @Test("shows nothing of itself, and reads back as it is written")
    func text() throws {
        let contact = OrderContact(
            shipping: try Self.contact(#"{"givenName":"Ada","addressLines":["1","2"]}"#),
            billing: try Self.contact(#"{"familyName":"王"}"#),
            invoice: .init(title: "Orchard Ltd", taxNumber: "91310000"))
        #expect(
            !"\(contact)\(contact.shipping as Any)\(contact.invoice as Any)".contains {
                "A王O9".contains($0) && $0 != "O"
            })
        var dumped = ""
        dump(contact, to: &dumped)
        #expect(!dumped.contains("Ada") && !dumped.contains("91310000"))
        #expect(try OrderContact(parsing: contact.json) == contact)
    }
}
