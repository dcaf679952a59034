import OrchardJSON

/// The answer to the device.
struct Answer: CustomStringConvertible {
    let status: Int
    let text: [UInt8]

    var json: JSONValue? { try? JSONValue(parsing: text) }
    var description: String { "\(status) \(String(decoding: text, as: UTF8.self))" }

    subscript(name: String) -> String? { json?[name]?.string }
}
