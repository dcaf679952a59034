import COrchardOpenSSL

/// Bytes from OpenSSL's random generator.
public enum Randomness {
    public static func bytes(_ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        let code = RAND_bytes(&result, Int32(count))
        precondition(code == 1, "there is no randomness")
        return result
    }

    /// That many decimal digits.
    public static func digits(_ count: Int) -> String {
        bytes(count).map { String($0 % 10) }.joined()
    }
}
