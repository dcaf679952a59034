import COrchardOpenSSL

/// Algorithms fetched from OpenSSL's providers once per process; a fetch at each use costs as much as a small digest.
struct Algorithm: @unchecked Sendable {
    // @unchecked: fetched EVP_MD and EVP_CIPHER objects are immutable and reference counted (EVP_MD_fetch(3)).
    let pointer: OpaquePointer?

    static let sha256 = Algorithm(pointer: EVP_MD_fetch(nil, "SHA256", nil))
    static let aes128GCM = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-128-GCM", nil))
    static let aes256GCM = Algorithm(pointer: EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
}
