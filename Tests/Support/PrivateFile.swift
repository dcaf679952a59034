import Foundation

/// Writes a file that only its owner may read, as the services require for private keys.
public func writePrivately(_ bytes: some Sequence<UInt8>, to file: URL) throws {
    let made = FileManager.default.createFile(
        atPath: file.path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
    guard made else { throw CocoaError(.fileWriteUnknown) }
}
