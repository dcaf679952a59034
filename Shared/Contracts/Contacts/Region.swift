import OrchardJSON

/// A part of the world that a shop serves: a country, an administrative area of it, or postal codes there.
///
/// The text is the country, the area and the beginning of the postal code, with `/` between: `CN`, `US/CA`, `US/CA/941`,
/// `GB//SW1`. It is the shop's setting and not a customer's address, so tickets may carry it.
public struct Region: Hashable, Sendable, CustomStringConvertible {
    /// ISO 3166-1, two upper-case letters.
    public let countryCode: String
    /// As Apple's sheet spells it: `CA`, `上海市`. Upper and lower case are the same.
    public let administrativeArea: String?
    public let postalCodePrefix: String?

    /// The most bytes of the text.
    public static let maximumSize = 64

    /// - Returns: nil for a text of another form.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard text.utf8.count <= Self.maximumSize, (1...3).contains(parts.count), Self.isCountryCode(parts[0]),
            parts.count == 1 || !parts[parts.count - 1].isEmpty,
            parts.allSatisfy({ $0 == $0.trimmed && $0.unicodeScalars.allSatisfy { $0.value >= 0x20 } })
        else { return nil }
        countryCode = parts[0]
        administrativeArea = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
        postalCodePrefix = parts.count > 2 ? parts[2] : nil
    }

    private init(_ countryCode: String, _ administrativeArea: String?, _ postalCodePrefix: String?) {
        self.countryCode = countryCode
        self.administrativeArea = administrativeArea
        self.postalCodePrefix = postalCodePrefix
    }

    static func isCountryCode(_ text: String) -> Bool {
        text.utf8.count == 2 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    public var description: String {
        switch (administrativeArea, postalCodePrefix) {
        case (let area, let prefix?): "\(countryCode)/\(area ?? "")/\(prefix)"
        case (let area?, nil): "\(countryCode)/\(area)"
        case (nil, nil): countryCode
        }
    }

    /// Whether each address of the other region is in this one.
    public func contains(_ other: Region) -> Bool {
        countryCode == other.countryCode
            && (administrativeArea == nil || administrativeArea?.lowercased() == other.administrativeArea?.lowercased())
            && (postalCodePrefix == nil
                || Self.plain(other.postalCodePrefix ?? "").hasPrefix(Self.plain(postalCodePrefix ?? "")))
    }

    /// What two regions have in common; nil when that is nothing, or when its text would be too long.
    public func intersection(_ other: Region) -> Region? {
        let areas = [administrativeArea, other.administrativeArea].compactMap(\.self)
        let prefixes = [postalCodePrefix, other.postalCodePrefix].compactMap(\.self).sorted {
            Self.plain($0).utf8.count < Self.plain($1).utf8.count
        }
        let common = Region(countryCode, areas.first, prefixes.last)
        return contains(common) && other.contains(common) && common.description.utf8.count <= Self.maximumSize
            ? common : nil
    }

    /// How an address lies to a region.
    public enum Match: Hashable, Sendable {
        /// It is inside.
        case inside
        /// It is outside, and this member of the address is the reason.
        case outside(PaymentContact.Field)
    }

    /// Compares an address with the region.
    ///
    /// - Parameter isCut: whether Apple left out parts of the address, as before the payment is authorised. A postal code
    ///   that is too short to decide counts as inside then; the authorised address decides.
    public func match(_ contact: PaymentContact, isCut: Bool) -> Match {
        guard contact.countryCode?.uppercased() == countryCode else { return .outside(.countryCode) }
        if let area = administrativeArea, contact.administrativeArea?.trimmed.lowercased() != area.lowercased() {
            return .outside(.administrativeArea)
        }
        guard let prefix = postalCodePrefix.map(Self.plain) else { return .inside }
        let code = Self.plain(contact.postalCode ?? "")
        return code.hasPrefix(prefix) || (isCut && !code.isEmpty && prefix.hasPrefix(code))
            ? .inside : .outside(.postalCode)
    }

    /// A postal code without spaces and hyphens, in upper case.
    private static func plain(_ code: String) -> String { code.uppercased().filter { !$0.isWhitespace && $0 != "-" } }
}

extension String {
    /// Without white space at both ends.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}

extension JSONReader {
    /// Reads a ``Region``.
    public mutating func region() throws(JSONError) -> Region {
        guard let region = Region(try string(upTo: Region.maximumSize)) else {
            throw error(.value, "a region as in CN, US/CA or US/CA/941 is expected")
        }
        return region
    }
}
