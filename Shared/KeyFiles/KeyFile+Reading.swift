import Foundation
import Glibc
import OrchardCrypto
import OrchardServiceKit

extension KeyFile {
    /// The maximum size of a key file, in bytes.
    private static let maximumSize = 1 << 20

    /// The content of a file with a private key, in memory that is wiped.
    ///
    /// - Throws: ``KeyFileError`` `.missing`, `.unreadable`, and `.exposed` when others may read the file.
    public func readPrivate() throws(KeyFileError) -> SecretBytes {
        try readSecret(isPrivate: true)
    }

    /// Checks that only its owner may read the file, which contains private keys.
    ///
    /// - Throws: ``KeyFileError`` `.exposed`, or `.missing` when it is gone.
    public func requirePrivate() throws(KeyFileError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw KeyFileError(.missing, path, "does not exist") }
        try requirePrivate(status)
    }

    func readSecret(isPrivate: Bool) throws(KeyFileError) -> SecretBytes {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { throw KeyFileError(.missing, path, "does not exist") }
            throw unreadable
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumSize
        else { throw unreadable }
        if isPrivate { try requirePrivate(status) }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        var count = 0
        while count < content.count {
            let more = content.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + count }, $0.count - count)
            }
            if more < 0, errno == EINTR { continue }
            // A file that became shorter meanwhile is being written in place by another program.
            guard more > 0 else { throw unreadable }
            count += more
        }
        return SecretBytes(taking: content)
    }

    private func requirePrivate(_ status: stat) throws(KeyFileError) {
        guard let exposure = PrivateFile.exposure(of: status) else { return }
        throw KeyFileError(.exposed, path, "\(exposure); run: chmod 600 \(path)")
    }

    private var unreadable: KeyFileError {
        KeyFileError(.unreadable, path, "cannot be read; run this as the user whose file it is")
    }
}
