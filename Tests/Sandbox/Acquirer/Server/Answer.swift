/// An answer as it goes over the wire.
struct Answer: Hashable, Sendable {
    var status = 200
    var contentType = "text/html;charset=UTF-8"
    var body: [UInt8]

    /// A page of a proxy or a server that is in trouble.
    static func page(status: Int) -> Self {
        Self(
            status: status, contentType: "text/html",
            body: Array("<html><body>Service &amp; maintenance = later</body></html>".utf8))
    }
}
