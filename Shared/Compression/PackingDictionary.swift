import CZstd
import Synchronization

/// Packs small texts that are alike (zstd, RFC 8878): a dictionary holds what they share, so that each is only packed as
/// what differs.
///
/// A bridge file: the only one that hands memory to zstd. What was packed can only be unpacked with the same dictionary.
public final class PackingDictionary: Sendable {
    private let packing: Digest
    private let unpacking: Digest
    // A context takes 100 KB and some microseconds to make: each is kept for the next caller, who is its only user.
    private let packers = Mutex<[Context]>([])
    private let unpackers = Mutex<[Context]>([])
    private static let kept = 16

    /// - Parameters:
    ///   - bytes: texts as they will be packed, the usual ones last; or such texts and how often their letters are used, as
    ///     zstd's own tools write it.
    ///   - level: 1 is fast; up to 19 is smaller.
    public init(_ bytes: [UInt8], level: Int32 = 1) {
        guard let packing = ZSTD_createCDict(bytes, bytes.count, level),
            let unpacking = ZSTD_createDDict(bytes, bytes.count)
        else { preconditionFailure("a dictionary is whole, and there is memory for it") }
        self.packing = Digest(pointer: packing)
        self.unpacking = Digest(pointer: unpacking)
    }

    deinit {
        packers.withLock { for context in $0 { ZSTD_freeCCtx(context.pointer) } }
        unpackers.withLock { for context in $0 { ZSTD_freeDCtx(context.pointer) } }
        ZSTD_freeCDict(packing.pointer)
        ZSTD_freeDDict(unpacking.pointer)
    }

    /// Packs bytes; another version of zstd may pack the same bytes otherwise.
    ///
    /// - Parameter number: the first byte, by which a reader finds the dictionary.
    /// - Returns: the number, zstd's bytes, and a checksum of both (CRC-32, big-endian): zstd has bits that no reader looks at,
    ///   and several ways to pack the same bytes.
    public func pack(_ bytes: [UInt8], number: UInt8) -> [UInt8] {
        let context = packer()
        defer { keep(context, in: packers, ZSTD_freeCCtx) }
        let bound = ZSTD_compressBound(bytes.count)
        return [UInt8](unsafeUninitializedCapacity: 1 + bound + Self.checksumBytes) { room, count in
            room[0] = number
            let output = UnsafeMutableBufferPointer(rebasing: room[1...bound])
            let size = ZSTD_compress2(context.pointer, output.baseAddress, output.count, bytes, bytes.count)
            precondition(ZSTD_isError(size) == 0, "there is memory to pack a text")
            let sum = CRC32.checksum(of: UnsafeBufferPointer(rebasing: room[...size]))
            for place in 0..<Self.checksumBytes {
                room[1 + size + place] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * place))
            }
            count = 1 + size + Self.checksumBytes
        }
    }

    /// Unpacks what ``pack(_:number:)`` has packed: not one bit may differ.
    ///
    /// - Parameter limit: the most bytes that are unpacked; more are refused before there is memory for them.
    public func unpack(_ packed: Span<UInt8>, atMost limit: Int) throws(CompressionError) -> [UInt8] {
        try packed.withUnsafeBufferPointer { (packed) throws(CompressionError) in
            let end = packed.count - Self.checksumBytes
            guard end > 1 else { throw CompressionError(.malformed, "the bytes are not packed ones", at: 0) }
            let sum = packed[end...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard sum == CRC32.checksum(of: UnsafeBufferPointer(rebasing: packed[..<end])) else {
                throw CompressionError(.checksum, "the packed bytes were changed", at: end)
            }
            return try unpack(UnsafeBufferPointer(rebasing: packed[1..<end]), limit)
        }
    }

    private func unpack(_ frame: UnsafeBufferPointer<UInt8>, _ limit: Int) throws(CompressionError) -> [UInt8] {
        // zstd also reads formats of its youth, and passes over frames without content.
        guard frame.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) else {
            throw CompressionError(.malformed, "the bytes are not packed ones", at: 1)
        }
        let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        // zstd's marks for an error and an unknown size are above every limit.
        guard size <= UInt64(limit) else {
            throw size >= UInt64.max - 1
                ? CompressionError(.malformed, "the bytes are not packed ones", at: 1)
                : CompressionError(.tooLarge, "more than \(limit) bytes would be unpacked", at: 1)
        }
        guard ZSTD_findFrameCompressedSize(frame.baseAddress, frame.count) == frame.count else {
            throw CompressionError(.malformed, "the packed bytes are cut, or followed by others", at: 1)
        }
        let context = unpacker()
        defer { keep(context, in: unpackers, ZSTD_freeDCtx) }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let result = ZSTD_decompressDCtx(context.pointer, &bytes, bytes.count, frame.baseAddress, frame.count)
        guard result == Int(size) else {
            throw CompressionError(.malformed, "the bytes are not packed with this dictionary", at: 1)
        }
        return bytes
    }

    private static let checksumBytes = 4

    private func packer() -> Context {
        if let context = packers.withLock({ $0.popLast() }) { return context }
        guard let context = ZSTD_createCCtx(), ZSTD_CCtx_refCDict(context, packing.pointer) == 0,
            // It has this one dictionary, and the reader knows which.
            ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0)) == 0
        else { preconditionFailure("there is memory to pack a text") }
        return Context(pointer: context)
    }

    private func unpacker() -> Context {
        if let context = unpackers.withLock({ $0.popLast() }) { return context }
        guard let context = ZSTD_createDCtx(), ZSTD_DCtx_refDDict(context, unpacking.pointer) == 0 else {
            preconditionFailure("there is memory to unpack a text")
        }
        return Context(pointer: context)
    }

    private func keep(_ context: Context, in list: borrowing Mutex<[Context]>, _ free: (OpaquePointer) -> Int) {
        let isKept = list.withLock { list in
            if list.count < Self.kept { list.append(context) }
            return list.last?.pointer == context.pointer
        }
        if !isKept { _ = free(context.pointer) }
    }

    /// A dictionary that zstd has read.
    private struct Digest: @unchecked Sendable {
        // @unchecked: zstd only reads it, from any number of threads.
        let pointer: OpaquePointer
    }

    /// What zstd works in.
    private struct Context: @unchecked Sendable {
        // @unchecked: the caller that takes it from its list is its only user.
        let pointer: OpaquePointer
    }
}
