import Foundation
import Glibc
import OrchardCrypto

/// A file that holds keys. A reader finds the old content or the new one, never a part, also after a power cut.
public struct KeyFile: Sendable, Equatable {
    /// Who may read the file besides root.
    public enum Readers: Sendable {
        case owner
        case everyone

        var mode: mode_t { self == .owner ? 0o600 : 0o644 }
    }

    /// The path of the file itself: symbolic links are followed, so that a replacement does not replace the link.
    public let path: String

    public init(_ path: String) {
        self.path = URL(filePath: path).resolvingSymlinksInPath().path
    }

    private var folder: String { URL(filePath: path).deletingLastPathComponent().path }

    /// The content; nil when there is no file.
    public func read() throws(KeyFileError) -> [UInt8]? {
        do throws(KeyFileError) {
            // A copy: borrowed bytes are zeros after their owner is wiped.
            return try readSecret(isPrivate: false).withBytes { $0.map(\.self) }
        } catch {
            if error.code == .missing { return nil }
            throw error
        }
    }

    /// Creates the file.
    ///
    /// - Throws: ``KeyFileError`` `.exists` when the file exists already; it is not changed.
    public func create(_ content: [UInt8], readers: Readers) throws(KeyFileError) {
        let draft = try writeDraft(content, readers)
        defer { unlink(draft) }
        // Unlike rename, link fails when the name exists already.
        guard link(draft, path) == 0 else {
            throw errno == EEXIST
                ? KeyFileError(.exists, path, "exists already, and a key is never overwritten; name another file")
                : failure("cannot be made")
        }
        try synchroniseFolder()
    }

    /// Creates the file or replaces its content; the owner stays the same.
    public func replace(_ content: [UInt8], readers: Readers) throws(KeyFileError) {
        let draft = try writeDraft(content, readers)
        guard rename(draft, path) == 0 else {
            let failure = failure("cannot be replaced")
            unlink(draft)
            throw failure
        }
        try synchroniseFolder()
    }

    /// Removes the file again.
    public func remove() {
        unlink(path)
    }

    /// Prevents other commands from changing key files in this folder meanwhile, so that no key is lost between two
    /// commands.
    ///
    /// - Throws: ``KeyFileError`` `.busy` when another command holds the folder, and what `body` throws.
    public func locked<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("its folder cannot be opened") }
        // Closing alone keeps the lock while a process that was forked meanwhile has not begun its program.
        defer { close(descriptor) }
        defer { flock(descriptor, LOCK_UN) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw KeyFileError(.busy, path, "another command is changing key files in this folder; try again")
        }
        return try body()
    }

    /// Writes all bytes without copying them.
    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func writeDraft(_ content: [UInt8], _ readers: Readers) throws(KeyFileError) -> String {
        let draft = "\(path).\(UUID().uuidString).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("cannot be written") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try keepOwner(descriptor)
            guard fchmod(descriptor, readers.mode) == 0 else { throw failure("its mode cannot be set") }
            guard content.withUnsafeBytes({ Self.write($0, to: descriptor) }) else {
                throw failure("cannot be written; is the disk full?")
            }
            try handle.synchronize()
        } catch {
            unlink(draft)
            throw error as? KeyFileError
                ?? KeyFileError(.unwritable, path, "cannot be written; is the disk full?")
        }
        return draft
    }

    /// Keeps the owner: a service that may read the file now may do so afterwards, even when root runs this.
    private func keepOwner(_ descriptor: Int32) throws(KeyFileError) {
        var old = stat()
        var new = stat()
        guard stat(path, &old) == 0, fstat(descriptor, &new) == 0 else { return }
        guard old.st_uid != new.st_uid || old.st_gid != new.st_gid else { return }
        guard fchown(descriptor, old.st_uid, old.st_gid) == 0 else {
            throw failure("belongs to another user or group; run this as its owner")
        }
    }

    private func synchroniseFolder() throws(KeyFileError) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("its folder cannot be opened") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("its folder cannot be written to disk") }
    }

    private func failure(_ what: String) -> KeyFileError {
        KeyFileError(.unwritable, path, "\(what) (\(String(cString: strerror(errno))))")
    }
}
