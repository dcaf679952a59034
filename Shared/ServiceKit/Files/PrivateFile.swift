import Glibc

/// The rule for files with private keys.
public enum PrivateFile {
    /// Why others than the owner may read a file; nil when they may not.
    ///
    /// The rule of PostgreSQL: only the owner has access. A file of root may also be readable for the group of the
    /// service, as mounted secrets are.
    ///
    /// - Returns: the end of a sentence that begins with the file's name.
    public static func exposure(of status: stat) -> String? {
        let isRoots = status.st_uid == 0 && geteuid() != 0
        let forbidden: mode_t = isRoots ? 0o037 : 0o077
        guard status.st_mode & forbidden != 0 else { return nil }
        return "is a private key that others may read (mode 0\(String(status.st_mode & 0o777, radix: 8)))"
    }
}
