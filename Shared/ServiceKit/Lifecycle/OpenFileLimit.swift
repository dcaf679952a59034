import Glibc

/// The limit of files and sockets that this process may have open at once (`RLIMIT_NOFILE`).
public enum OpenFileLimit {
    /// Raises the soft limit to the hard one. The low soft limit is for programs that use `select`; none here does.
    ///
    /// - Returns: the limit that is in effect now.
    @discardableResult public static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1_024 }
        var raised = rlimit(rlim_cur: limit.rlim_max, rlim_max: limit.rlim_max)
        let isRaised = limit.rlim_cur < limit.rlim_max && setrlimit(resource, &raised) == 0
        return Int(clamping: isRaised ? raised.rlim_cur : limit.rlim_cur)
    }
}
