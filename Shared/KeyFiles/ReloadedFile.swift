import OrchardServiceKit

/// What a service reads again and again while it runs.
public protocol ReloadedFile: Sendable {
    /// The file's name.
    var path: String { get }

    /// Reads it again; when it is not right now, what was read before stays in force.
    ///
    /// - Returns: what is wrong; nil when nothing is.
    func reload() async -> String?

    /// What has come into force since this was asked last, in words for the log; nil when nothing has.
    func nextChange() -> String?
}
