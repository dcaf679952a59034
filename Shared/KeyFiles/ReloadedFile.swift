import OrchardServiceKit

/// What a service reads again and again while it runs.
public protocol ReloadedFile: Sendable {
    /// Reads it again; when it is not right now, what was read before stays in force.
    ///
    /// - Returns: what is wrong; nil when nothing is.
    func reload() async -> String?
}
