import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON

/// What Apple's server answered: an opaque session, which goes to the page byte for byte.
struct SessionAnswer {
    /// A real one has 4 to 5 KB.
    static let maximumSize = 64 << 10
    private static let maximumValues = 1_024

    let bytes: [UInt8]

    /// - Throws: ``SessionRefusal`` when it is anything but a whole JSON object.
    init(_ outcome: HTTPOutcome) throws(SessionRefusal) {
        let response: HTTPResponse
        switch outcome {
        case .answered(let answer): response = answer.response
        case .notSent(let failure), .unknown(let failure):
            switch failure.code {
            case .timeout: throw .timedOut
            case .answerTooLarge: throw .answerTooLarge
            case .malformedAnswer: throw .answerMalformed
            default: throw .unreachable
            }
        }
        switch response.status.code {
        case 200: break
        case 300..<400: throw .redirected(response.status)
        default: throw .refused(response.status)
        }
        do throws(JSONError) {
            try JSONReader.read(response.body, maximumValues: Self.maximumValues) { reader throws(JSONError) in
                try reader.object { reader, _ throws(JSONError) in try reader.skip() }
            }
        } catch {
            throw .answerMalformed
        }
        bytes = response.body
    }
}
