import COrchardOpenSSL

/// A hash function by its number of bits.
public enum Digest: Sendable {
    case sha1, sha256, sha384

    var algorithm: OpaquePointer {
        switch self {
        case .sha1: EVP_sha1()
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        }
    }

    /// The object identifier of the function itself.
    public var objectIdentifier: String {
        switch self {
        case .sha1: "1.3.14.3.2.26"
        case .sha256: "2.16.840.1.101.3.4.2.1"
        case .sha384: "2.16.840.1.101.3.4.2.2"
        }
    }

    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        let code = EVP_Digest(bytes, bytes.count, &result, &count, algorithm, nil)
        precondition(code == 1, "OpenSSL has no \(self)")
        return Array(result.prefix(Int(count)))
    }
}
