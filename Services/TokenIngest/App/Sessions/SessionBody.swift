import OrchardJSON

/// The body of `POST /v1/apple-pay/session`: what the page's `onvalidatemerchant` was given.
///
///     {"validationURL": "https://apple-pay-gateway.apple.com/paymentservices/paymentSession"}
struct SessionBody {
    let validationURL: String

    /// - Throws: `JSONError` naming the member that is missing, unknown or of a wrong type.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        validationURL = try JSONReader.read(bytes, maximumValues: 16) { reader throws(JSONError) in
            var url: String?
            try reader.object { reader, name throws(JSONError) in
                guard name == "validationURL" else { throw reader.unknownMember() }
                url = try reader.string(upTo: 2_048)
            }
            return try reader.required(url, "validationURL")
        }
    }
}
