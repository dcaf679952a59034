import COrchardOpenSSL

/// Bytes that are wiped when their owner is destroyed: keys, card numbers, cryptograms.
///
/// They cannot be copied by accident and have no description. Never make a `String` of them: its memory is not wiped.
public struct SecretBytes: ~Copyable, Sendable {
    private var storage: [UInt8]

    /// `count` zero bytes.
    public init(count: Int = 0) {
        storage = [UInt8](repeating: 0, count: count)
    }

    /// Takes ownership of bytes. The caller keeps no other copy; a kept copy reads as zeros later.
    public init(taking bytes: consuming [UInt8]) {
        storage = bytes
    }

    /// Copies bytes; the caller's are not wiped.
    public init(copying bytes: some Sequence<UInt8>) {
        storage = []
        storage.reserveCapacity(bytes.underestimatedCount)
        append(contentsOf: bytes)
    }

    deinit {
        Self.wipe(storage)
    }

    public var count: Int { storage.count }
    public var isEmpty: Bool { storage.isEmpty }

    /// Lends the bytes without copying them. A copy of the array that is kept after `body` reads as zeros later.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(storage)
    }

    /// Adds a byte; memory that growth leaves behind is wiped.
    public mutating func append(_ byte: UInt8) {
        reserve(1)
        storage.append(byte)
    }

    /// Adds bytes; memory that growth leaves behind is wiped.
    public mutating func append(contentsOf bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { bytes in
            reserve(bytes.count)
            storage.append(contentsOf: bytes)
        }
        if isDone == nil { for byte in bytes { append(byte) } }
    }

    /// Adds borrowed bytes; memory that growth leaves behind is wiped.
    public mutating func append(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBufferPointer { append(contentsOf: $0) }
    }

    /// Makes room for more bytes.
    private mutating func reserve(_ count: Int) {
        guard storage.count + count > storage.capacity else { return }
        var larger: [UInt8] = []
        larger.reserveCapacity(max(32, storage.count * 2, storage.count + count))
        larger.append(contentsOf: storage)
        Self.wipe(storage)
        storage = larger
    }

    /// A second owner of the same bytes, on purpose.
    public borrowing func copy() -> SecretBytes {
        SecretBytes(copying: storage)
    }

    /// The bytes in base64 with the URL alphabet, without padding (RFC 7515 section 2); as secret as they are.
    public borrowing func base64URL() -> SecretBytes {
        SecretBytes(taking: Base64.encodedURL(storage))
    }

    /// Compares in a time that does not depend on where the first difference is.
    public borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        constantTimeEquals(storage, other.storage)
    }

    /// Wipes the memory itself, even where the array is shared: no forgotten copy may keep the secret after its owner
    /// is gone.
    static func wipe(_ bytes: borrowing [UInt8]) {
        bytes.withUnsafeBytes { OPENSSL_cleanse(UnsafeMutableRawPointer(mutating: $0.baseAddress), $0.count) }
    }
}

/// Compares in a time that depends on the lengths only.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
}
