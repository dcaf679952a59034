import OrchardJSON

/// Properties of the JSON reader that hold for every input. The fuzzer and the replay of its inputs share them.
enum JSONProperties {
    /// Checks one input; returns the violated property, or nil.
    static func violation(_ bytes: [UInt8]) -> String? {
        let skipped = refusal(bytes) { reader throws(JSONError) in try reader.skip() }
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            if skipped != error { return "skipping and reading refuse differently" }
            return error.offset > bytes.count ? "an error beyond the end" : nil
        }
        if skipped != nil { return "skipping refuses what reading accepts" }
        return canonicalViolation(value) ?? numberViolation(bytes, value)
    }

    /// A written text reads back, and is written the same again.
    private static func canonicalViolation(_ value: JSONValue) -> String? {
        let written = value.bytes
        guard let back = try? JSONValue(parsing: written) else { return "what was written cannot be read" }
        return back.bytes == written ? nil : "what was written reads back as something else"
    }

    /// The typed reader of integers agrees with the tree, and refuses everything else.
    private static func numberViolation(_ bytes: [UInt8], _ value: JSONValue) -> String? {
        let number = try? JSONReader.read(bytes) { reader throws(JSONError) in try reader.int64() }
        return number == value.integer ? nil : "an integer reads differently"
    }

    private static func refusal(
        _ bytes: [UInt8], _ body: (inout JSONReader) throws(JSONError) -> Void
    ) -> JSONError? {
        do throws(JSONError) {
            try JSONReader.read(bytes, body)
            return nil
        } catch { return error }
    }
}
