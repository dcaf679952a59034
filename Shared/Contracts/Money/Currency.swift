/// A currency of ISO 4217 that has a minor unit.
///
/// One byte: amounts are copied, compared and hashed far more often than their currency is named.
public struct Currency: Hashable, Sendable, CustomStringConvertible {
    /// The number of its row.
    private let place: UInt8

    private struct Row {
        let code: String
        let numeric: String
        let exponent: Int
    }

    /// Three letters, for example `CNY`.
    public var code: String { Self.rows[Int(place)].code }
    /// Three digits, for example `156`; Apple's payload and UnionPay use them.
    public var numeric: String { Self.rows[Int(place)].numeric }
    /// Decimal digits of the minor unit: JPY 0, CNY 2, KWD 3, CLF 4.
    public var exponent: Int { Self.rows[Int(place)].exponent }

    /// The currency of a three-letter code in upper case; nil when ISO 4217 has none.
    public init?(_ code: some StringProtocol) { self.init(String(code)) }

    /// The currency of a three-letter code in upper case; nil when ISO 4217 has none.
    public init?(_ code: String) {
        guard let place = Self.byCode[code] else { return nil }
        self.place = place
    }

    /// The currency of a three-digit code (a leading zero kept); nil when ISO 4217 has none.
    public init?(numeric: some StringProtocol) {
        guard let place = Self.byNumeric[String(numeric)] else { return nil }
        self.place = place
    }

    private init(place: UInt8) { self.place = place }

    public var description: String { code }

    /// Every currency, by code.
    public static let all: [Currency] = rows.indices.map { Currency(place: UInt8($0)) }

    private static let rows = table.split(whereSeparator: \.isWhitespace).map { row in
        Row(code: String(row.prefix(3)), numeric: String(row.dropFirst(3).prefix(3)), exponent: Int(row.suffix(1)) ?? 2)
    }
    private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0.place) })
    private static let byNumeric = Dictionary(uniqueKeysWithValues: all.map { ($0.numeric, $0.place) })

    /// ISO 4217 list one: letters, digits, exponent. Metals, funds of no minor unit and test codes are left out.
    private static let table = """
        AED7842 AFN9712 ALL0082 AMD0512 AOA9732 ARS0322 AUD0362 AWG5332 AZN9442 BAM9772 BBD0522 BDT0502
        BHD0483 BIF1080 BMD0602 BND0962 BOB0682 BOV9842 BRL9862 BSD0442 BTN0642 BWP0722 BYN9332 BZD0842
        CAD1242 CDF9762 CHE9472 CHF7562 CHW9482 CLF9904 CLP1520 CNY1562 COP1702 COU9702 CRC1882 CUP1922
        CVE1322 CZK2032 DJF2620 DKK2082 DOP2142 DZD0122 EGP8182 ERN2322 ETB2302 EUR9782 FJD2422 FKP2382
        GBP8262 GEL9812 GHS9362 GIP2922 GMD2702 GNF3240 GTQ3202 GYD3282 HKD3442 HNL3402 HTG3322 HUF3482
        IDR3602 ILS3762 INR3562 IQD3683 IRR3642 ISK3520 JMD3882 JOD4003 JPY3920 KES4042 KGS4172 KHR1162
        KMF1740 KPW4082 KRW4100 KWD4143 KYD1362 KZT3982 LAK4182 LBP4222 LKR1442 LRD4302 LSL4262 LYD4343
        MAD5042 MDL4982 MGA9692 MKD8072 MMK1042 MNT4962 MOP4462 MRU9292 MUR4802 MVR4622 MWK4542 MXN4842
        MXV9792 MYR4582 MZN9432 NAD5162 NGN5662 NIO5582 NOK5782 NPR5242 NZD5542 OMR5123 PAB5902 PEN6042
        PGK5982 PHP6082 PKR5862 PLN9852 PYG6000 QAR6342 RON9462 RSD9412 RUB6432 RWF6460 SAR6822 SBD0902
        SCR6902 SDG9382 SEK7522 SGD7022 SHP6542 SLE9252 SOS7062 SRD9682 SSP7282 STN9302 SVC2222 SYP7602
        SZL7482 THB7642 TJS9722 TMT9342 TND7883 TOP7762 TRY9492 TTD7802 TWD9012 TZS8342 UAH9802 UGX8000
        USD8402 USN9972 UYI9400 UYU8582 UYW9274 UZS8602 VED9262 VES9282 VND7040 VUV5480 WST8822 XAF9500
        XCD9512 XCG5322 XOF9520 XPF9530 YER8862 ZAR7102 ZMW9672 ZWG9242
        """
}

extension Currency {
    /// China's yuan, the only currency that UnionPay's domestic sale takes.
    public static let cny: Currency = {
        guard let yuan = Currency("CNY") else { preconditionFailure("the table has the yuan") }
        return yuan
    }()
}
