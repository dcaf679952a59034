import Foundation

/// The text form of certificates and keys (RFC 7468).
public enum PEM {
    public static func encode(_ label: String, _ der: [UInt8]) -> String {
        let text = Array(Data(der).base64EncodedString().utf8)
        let lines = stride(from: 0, to: text.count, by: 64).map {
            String(decoding: text[$0..<min($0 + 64, text.count)], as: UTF8.self)
        }
        return "-----BEGIN \(label)-----\n" + lines.joined(separator: "\n") + "\n-----END \(label)-----\n"
    }

    /// The bytes of the first block, whatever its label.
    public static func decode(_ text: String) throws(PKIError) -> [UInt8] {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN ") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END ") }),
            let data = Data(base64Encoded: lines[(begin + 1)..<end].joined())
        else { throw PKIError(.malformed, "there is no whole PEM block") }
        return Array(data)
    }
}
