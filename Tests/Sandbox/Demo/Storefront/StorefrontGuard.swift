import OrchardHTTPTypes

/// Lets only the shop's own pages in, whatever a browser on this machine shows besides.
struct StorefrontGuard: Sendable {
    /// Where the shop's pages are, as in `https://tea.example`: the first is the one that is told.
    let origins: [String]

    /// Refuses a name that another site has pointed at this machine, and a page of another site.
    ///
    /// - Throws: 421 for a foreign `Host`, 403 for a foreign `Origin`.
    func check(_ request: HTTPRequest) throws(Problem) {
        let host = request.fields["Host"] ?? ""
        guard origins.contains("http://\(host)") || origins.contains("https://\(host)") else {
            throw Problem(
                .misdirectedRequest, code: "host-unknown", detail: "the shop is at \(origins.first ?? "")/")
        }
        let isForeign =
            request.fields["Origin"].map { !origins.contains($0) }
            // Reads send no Origin; a browser tells of them so.
            ?? (request.fields["Sec-Fetch-Site"] == "cross-site" && request.fields["Sec-Fetch-Mode"] != "navigate")
        guard !isForeign else {
            throw Problem(
                .forbidden, code: "origin-refused", detail: "only pages of the shop itself may call its server")
        }
    }
}
