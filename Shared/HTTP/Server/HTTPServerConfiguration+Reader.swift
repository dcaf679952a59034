import OrchardServiceKit

extension HTTPServerConfiguration {
    /// Reads where the server listens.
    ///
    /// Configuration keys, below the reader's scope (`http`, `admin`):
    /// - `host` (default 127.0.0.1): a numeric address or name of this machine; `0.0.0.0` for every one
    /// - `port`: a TCP port; 0 takes any free one
    public init(reader: ConfigReader, defaultPort: Int) {
        self.init(
            host: reader.string("host", doc: "The address to listen on; 0.0.0.0 for every one.", default: "127.0.0.1"),
            port: reader.int("port", doc: "The TCP port to listen on.", default: defaultPort, in: 0...65_535))
    }
}
