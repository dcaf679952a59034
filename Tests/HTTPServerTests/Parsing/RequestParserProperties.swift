import OrchardHTTPServer
import OrchardHTTPTypes

/// What holds for the request parser whatever it is fed; the fuzzer and the kept inputs ask this.
enum RequestParserProperties {
    private struct Reading: Equatable {
        var messages: [RequestParser.Message] = []
        var refusal: InvalidRequest?
    }

    /// Small, so that short inputs reach every limit: the fuzzer lives from speed.
    private static let limits: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        limits.headBytes = 256
        limits.targetBytes = 48
        limits.fieldCount = 6
        limits.bodyBytes = 96
        return limits
    }()

    /// What is wrong with the parser's reading of these bytes; nil when nothing is.
    ///
    /// - Parameter size: of the pieces the bytes come in; the fuzzer has each length of input try another.
    static func violation(_ bytes: [UInt8], pieces size: Int? = nil) -> String? {
        let whole = read(bytes, pieces: bytes.count)
        let size = size ?? 1 + bytes.count % 7
        if read(bytes, pieces: size) != whole { return "read otherwise in pieces of \(size)" }
        if read(bytes, pieces: size, inPlace: false) != whole { return "read otherwise than in place" }
        for message in whole.messages {
            if let violation = violation(message) { return violation }
        }
        return nil
    }

    /// What an accepted request must be like, and that it is read the same when it is written plainly.
    private static func violation(_ message: RequestParser.Message) -> String? {
        let request = message.request
        guard request.target.hasPrefix("/"), request.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return "a target that is none"
        }
        let isText = { (byte: UInt8) in byte == 0x09 || byte >= 0x20 && byte != 0x7F }
        guard request.fields.allSatisfy({ !$0.name.isEmpty && $0.value.utf8.allSatisfy(isText) }) else {
            return "a field with a control character"
        }
        let lengths = request.fields.values("Content-Length").count
        let codings = request.fields.values("Transfer-Encoding").count
        guard lengths + codings <= 1 else { return "a framing that can be read in two ways" }
        guard request.body.count <= limits.bodyBytes else { return "a body above the limit" }
        guard lengths + codings == 1 || request.body.isEmpty else { return "a body without framing" }

        var plain = "\(request.method) \(request.target) HTTP/1.\(message.isHTTP10 ? 0 : 1)\r\n"
        for field in request.fields { plain += "\(field.name):\(field.value)\r\n" }
        var bytes = Array((plain + "\r\n").utf8)
        if codings == 1 {
            if !request.body.isEmpty {
                bytes += Array("\(String(request.body.count, radix: 16))\r\n".utf8) + request.body + [13, 10]
            }
            bytes += Array("0\r\n\r\n".utf8)
        } else {
            bytes += request.body
        }
        return read(bytes, pieces: bytes.count) == Reading(messages: [message]) ? nil : "not read again as it was read"
    }

    /// - Parameter inPlace: whether requests that come in one piece are read where they lie.
    private static func read(_ bytes: [UInt8], pieces size: Int, inPlace: Bool = true) -> Reading {
        var parser = RequestParser(limits: limits)
        var reading = Reading()
        var rest = bytes[...]
        do throws(InvalidRequest) {
            while !rest.isEmpty {
                let piece = rest.prefix(size)
                rest = rest.dropFirst(size)
                if !inPlace { parser.append(piece.span) }
                var progress = inPlace ? try parser.receive(piece.span) : try parser.next()
                var isWaiting = false
                while !isWaiting {
                    switch progress {
                    case .complete(let message): reading.messages.append(message)
                    case .continueExpected: break
                    case .empty, .partialHead, .partialBody: isWaiting = true
                    }
                    if !isWaiting { progress = try parser.next() }
                }
            }
        } catch {
            reading.refusal = error
        }
        return reading
    }
}
