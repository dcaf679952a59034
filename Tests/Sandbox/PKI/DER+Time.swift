import Foundation

extension DER {
    /// A UTCTime of a moment in seconds since 1970, as Apple writes signing times.
    public static func utcTime(_ moment: Int64) -> [UInt8] {
        element(0x17, Array(digits(moment).dropFirst(2).utf8))
    }

    /// A GeneralizedTime of a moment in seconds since 1970.
    public static func generalizedTime(_ moment: Int64) -> [UInt8] {
        element(0x18, Array(digits(moment).utf8))
    }

    /// The validity time of RFC 5280: UTCTime through 2049, GeneralizedTime from 2050 on.
    public static func time(_ moment: Int64) -> [UInt8] {
        digits(moment) < "2050" ? utcTime(moment) : generalizedTime(moment)
    }

    private static func digits(_ moment: Int64) -> String {
        var seconds = time_t(moment)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let fields = [parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec]
        let rest = fields.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
        return "\(parts.tm_year + 1900)\(rest)Z"
    }
}
