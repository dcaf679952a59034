import Foundation
import OrchardServiceKit

/// Keys that may be in use are never overwritten.
enum InitRule {
    /// Lets an `init` write into a folder that holds no keys yet, or is not there yet.
    ///
    /// - Parameters:
    ///   - file: the file that the `init` writes besides keys and certificates.
    ///   - write: writes everything.
    /// - Throws: ``UsageError`` that names the obstacle.
    static func fill(_ folder: String, without file: String, _ write: (URL) throws -> Void) throws {
        let url = URL(filePath: folder)
        let known = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        if let key = known.sorted().first(where: { $0 == file || $0.hasSuffix(".pem") || $0.hasSuffix(".key") }) {
            throw UsageError("\(folder) holds keys already (\(key)): delete the folder, or name another")
        }
        do {
            try write(url)
        } catch let error as CocoaError {
            // Foundation's own text is for programmers.
            let cause = (error.underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
            throw UsageError("\(folder) cannot be written: \(cause ?? "is the disk full?")")
        }
    }
}
