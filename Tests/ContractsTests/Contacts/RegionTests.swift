import Contracts
import OrchardJSON
import Testing

@Suite("A region that a shop serves")
struct RegionTests {
    @Test("reads back as it is written", arguments: ["CN", "US/CA", "US/CA/941", "GB//SW1", "CN/上海市"])
    func text(_ text: String) {
        #expect(Region(text)?.description == text)
    }

    @Test(
        "of another form is no region",
        arguments: [
            "", "cn", "CHN", "CN/", "CN//", "CN/a/", "CN/ a", "CN/a/b/c", "C1", "CN/\u{1}",
            "CN/" + String(repeating: "a", count: 62),
        ])
    func wrong(_ text: String) {
        #expect(Region(text) == nil)
    }

    private func contact(_ country: String?, _ area: String? = nil, _ code: String? = nil) -> PaymentContact {
        var contact = PaymentContact()
        (contact.countryCode, contact.administrativeArea, contact.postalCode) = (country, area, code)
        return contact
    }

    @Test("compares country, area and postal code without case and spaces")
    func inside() throws {
        let cases: [(String, PaymentContact)] = [
            ("CN", contact("CN")), ("CN", contact("cn")), ("US/CA", contact("US", " ca ")),
            ("US/CA/941", contact("US", "CA", "94105-1234")), ("GB//SW1", contact("gb", nil, "sw1a 1aa")),
        ]
        for (text, contact) in cases {
            let region = try #require(Region(text))
            #expect(region.match(contact, isCut: false) == .inside, "\(text)")
        }
    }

    @Test("names the member of the address that lies outside")
    func outside() throws {
        let region = try #require(Region("US/CA/941"))
        #expect(region.match(contact(nil), isCut: false) == .outside(.countryCode))
        #expect(region.match(contact("JP", "CA", "94105"), isCut: false) == .outside(.countryCode))
        #expect(region.match(contact("US", "NY", "94105"), isCut: false) == .outside(.administrativeArea))
        #expect(region.match(contact("US", "CA", "95105"), isCut: false) == .outside(.postalCode))
        #expect(region.match(contact("US", "CA"), isCut: true) == .outside(.postalCode))
    }

    @Test("A postal code that Apple has cut counts as inside until the whole address is known")
    func cut() throws {
        let region = try #require(Region("GB//SW1A"))
        #expect(region.match(contact("GB", nil, "SW1"), isCut: true) == .inside)
        #expect(region.match(contact("GB", nil, "SW1"), isCut: false) == .outside(.postalCode))
        #expect(region.match(contact("GB", nil, "N1"), isCut: true) == .outside(.postalCode))
    }

    @Test("The intersection of two regions that hold an address holds it, too")
    func intersection() throws {
        let area = try #require(Region("US/CA"))
        let code = try #require(Region("US//94"))
        #expect(area.intersection(code)?.description == "US/CA/94")
        #expect(try area.intersection(#require(Region("US/NY"))) == nil)
        #expect(try code.intersection(#require(Region("US//941")))?.description == "US//941")
        #expect(try #require(Region("US")).contains(area))
        #expect(try !area.contains(#require(Region("US"))))
    }
}

@Suite("A contact of Apple's sheet")
struct PaymentContactTests {
    @Test("shows nothing of a person in a log")
    func description() throws {
        let contact = try PaymentContact(parsing: Array(#"{"givenName":"Mei","phoneNumber":"+8613800000000"}"#.utf8))
        #expect("\(contact)" == "PaymentContact(…)")
        var dumped = ""
        dump(contact, to: &dumped)
        #expect(!dumped.contains("Mei") && !dumped.contains("138"))
    }

    @Test("skips members that a newer iOS may send, and empty texts")
    func newer() throws {
        let text = #"{"countryCode":"","locality":"Shanghai","new":{"a":[1]},"addressLines":["1 Road",""]}"#
        let contact = try PaymentContact(parsing: Array(text.utf8))
        #expect(contact.countryCode == nil)
        #expect(contact.locality == "Shanghai")
        #expect(contact.addressLines == ["1 Road", ""])
    }

    @Test("is refused when it is too large, with the member named")
    func tooLarge() {
        for (text, path) in [
            (#"{"locality":"\#(String(repeating: "a", count: 513))"}"#, "locality"),
            (
                #"{"addressLines":[\#(Array(repeating: "\"a\"", count: 11).joined(separator: ","))]}"#,
                "addressLines[10]"
            ),
        ] {
            let error = #expect(throws: JSONError.self) { try PaymentContact(parsing: Array(text.utf8)) }
            #expect(error?.path == path)
        }
    }
}

@Suite("An error of Apple's sheet")
struct SheetErrorTests {
    @Test("has the code of the web and the code of PassKit's domain")
    func codes() {
        let codes = SheetError.Code.allCases.map { SheetError($0, message: "m").passKitJSON["code"]?.integer }
        #expect(codes == [1, 2, 3, 4, 5, -1])
    }

    @Test("names a part of an address by the property of CNPostalAddress")
    func address() {
        let error = SheetError(.addressUnserviceable, .administrativeArea, message: "Not there.")
        #expect(
            error.json == [
                "code": "addressUnserviceable", "contactField": "administrativeArea", "message": "Not there.",
            ])
        #expect(
            error.passKitJSON == [
                "code": 3, "contactField": "postalAddress", "domain": "PKPaymentErrorDomain",
                "localizedDescription": "Not there.", "postalAddressKey": "state",
            ])
    }

    @Test("A card range counts by its longest prefix")
    func ranges() throws {
        let ranges = [
            try #require(CardRange(prefix: "62", type: .debit)), try #require(CardRange(prefix: "6225", type: .credit)),
        ]
        #expect(ranges.type(ofCardNumber: Array("6225123412341234".utf8)) == .credit)
        #expect(ranges.type(ofCardNumber: Array("6226123412341234".utf8)) == .debit)
        #expect(ranges.type(ofCardNumber: Array("4111111111111111".utf8)) == nil)
        #expect(CardRange(prefix: "6", type: .debit) == nil)
        #expect(CardRange(prefix: "6a", type: .debit) == nil)
    }
}
