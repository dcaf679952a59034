import Foundation
import SandboxProcesses

/// A throw-away authority with a server for `localhost` and a client, as PEM files made by the `openssl` command.
public final class TestCertificates: Sendable {
    public struct Identity: Sendable {
        public let certificate: String
        public let key: String
    }

    public let authority: String
    public let server: Identity
    public let client: Identity
    private let folder: URL

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("orchard-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.path
        authority = "\(path)/ca.pem"
        server = Identity(certificate: "\(path)/server.pem", key: "\(path)/server.key")
        client = Identity(certificate: "\(path)/client.pem", key: "\(path)/client.key")
        let script = """
            set -e
            cd '\(path)'
            new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
            $new -x509 -days 2 -subj /CN=test-ca -keyout ca.key -out ca.pem
            for name in server client; do
                $new -subj /CN=$name -keyout $name.key -out $name.csr
                echo "subjectAltName=DNS:localhost,IP:127.0.0.1" > $name.ext
                openssl x509 -req -days 2 -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile $name.ext -out $name.pem
            done
            """
        let run = try ProgramRun("sh", ["-c", script])
        guard run.status == 0 else { throw OpenSSLFailure(output: run.output) }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }
}

/// The command `openssl` failed, and what it had to say.
public struct OpenSSLFailure: Error {
    public let output: String
}
