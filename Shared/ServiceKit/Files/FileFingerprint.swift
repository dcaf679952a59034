import Glibc

/// Detects whether files have changed, without reading them: their place on disk, size and times of change.
struct FileFingerprint: Hashable, Sendable {
    private struct Entry: Hashable {
        let device: UInt
        let inode: UInt
        let size: Int
        let modified: [Int]
    }

    /// nil for a file that is not there.
    private let entries: [Entry?]

    /// Symbolic links are followed: an orchestrator replaces a mounted secret by changing a link.
    init(_ paths: [String]) {
        entries = paths.map { path in
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            return Entry(
                device: UInt(status.st_dev), inode: UInt(status.st_ino), size: Int(status.st_size),
                modified: [
                    status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
                ])
        }
    }
}
