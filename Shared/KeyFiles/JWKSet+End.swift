import OrchardJOSE

extension Collection<JWK> {
    /// Until when some key is in use without a gap.
    ///
    /// - Parameter time: seconds since 1970, at which the look begins.
    /// - Returns: the first second at which none is in use, `time` itself when none is now; nil: never.
    public func endOfUse(from time: Int64) -> Int64? {
        var end = time
        while let next = filter({ $0.isActive(at: end) }).map({ $0.expires ?? .max }).max() {
            if next == .max { return nil }
            end = next
        }
        return end
    }
}
