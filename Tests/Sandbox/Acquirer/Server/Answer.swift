/// An HTTP answer as it is sent.
struct Answer: Hashable, Sendable {
    var status = 200
    var contentType = "text/html;charset=UTF-8"
    var body: [UInt8]

    /// A page of a proxy or of a failing server.
    static func page(status: Int) -> Self {
        Self(
            status: status, contentType: "text/html",
            body: Array("<html><body>Service &amp; maintenance = later</body></html>".utf8))
    }
}
