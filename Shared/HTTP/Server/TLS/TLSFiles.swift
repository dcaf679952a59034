import Foundation
import OrchardServiceKit

/// The files from which a port takes its TLS identity. All are PEM.
public struct TLSFiles: Hashable, Sendable {
    /// The server's certificate, then those of the authorities between it and the root.
    public var certificate: String
    /// The certificate's private key, which only the service's user may read.
    public var key: String
    /// The authorities of clients: a client without a certificate of theirs is refused. Nil where every client may come.
    public var clients: String?

    public init(certificate: String, key: String, clients: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clients = clients
    }
}

extension CheckedFile<TLSContext> {
    /// The identity of a port, with all its files.
    ///
    /// - Throws: `ConfigurationError` for files that cannot be used; its keys are `tls.certificate`, `tls.key` and
    ///   `tls.clients`.
    public convenience init(_ files: TLSFiles) throws(ConfigurationError) {
        try self.init(path: files.certificate) { _ throws(ConfigurationError) in
            Reading(try TLSContext(files), files: [files.certificate, files.key] + (files.clients.map { [$0] } ?? []))
        }
    }

    /// Reads where a port takes its TLS identity from; nil for a port of plain HTTP.
    ///
    /// Configuration keys, below the reader's scope:
    /// - `tls.certificate`: the server's certificate and those of the authorities between, a PEM file; none for plain HTTP
    /// - `tls.key`: its private key, a PEM file
    /// - `tls.clients`: the authorities of clients, a PEM file; a client without a certificate of theirs is refused
    static func tls(reader: ConfigReader) -> CheckedFile<TLSContext>? {
        let certificate = reader.optionalFile(
            "tls.certificate",
            doc: "The port's certificate and those between it and the root, in PEM; none for plain HTTP.")
        let key = reader.optionalFile(
            "tls.key", doc: "The private key of the certificate, in PEM; both or neither.")
        let clients = reader.optionalFile(
            "tls.clients",
            doc: "The authorities of clients, in PEM: clients without a certificate of theirs are refused.")
        guard let certificate, let key else {
            if certificate != nil { reader.report("tls.key", "is required beside tls.certificate") }
            if key != nil { reader.report("tls.certificate", "is required beside tls.key") }
            if clients != nil, certificate == nil, key == nil {
                reader.report("tls.clients", "is of no use without tls.certificate and tls.key")
            }
            return nil
        }
        do throws(ConfigurationError) {
            return try CheckedFile(TLSFiles(certificate: certificate, key: key, clients: clients))
        } catch {
            for problem in error.problems { reader.report(problem.key, problem.reason) }
            return nil
        }
    }
}
