/// A time as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
struct HTTPDate: CustomStringConvertible {
    let secondsSince1970: Int64
    /// The field with its end, as every answer of this second has it. Held in place: it is copied with each time that is
    /// handed on.
    let line: InlineArray<37, UInt8>

    init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
        let days = Int(secondsSince1970 / 86_400)
        let second = Int(secondsSince1970 % 86_400)
        let (year, month, day) = Self.civil(daysSince1970: days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][days % 7]
        let name = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ][month - 1]
        let time = [second / 3600, second / 60 % 60, second % 60].map(Self.twoDigits).joined(separator: ":")
        let text = Array("Date: \(weekday), \(Self.twoDigits(day)) \(name) \(year) \(time) GMT\r\n".utf8)
        line = InlineArray { $0 < text.count ? text[$0] : ByteClass.blank }
    }

    /// The value of the field.
    var description: String { String(decoding: line.span.copy(6..<35), as: UTF8.self) }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Year, month and day of a day, by counting in eras of 400 years that begin in March.
    private static func civil(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSince1970 + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }
}
