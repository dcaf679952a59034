import Foundation
import OrchardServiceKit

/// Keys that somebody may use are never overwritten.
enum InitRule {
    /// - Parameter file: what an `init` writes into its folder.
    static func requireNew(_ folder: String, without file: String) throws(UsageError) {
        guard !FileManager.default.fileExists(atPath: URL(filePath: folder).appending(path: file).path) else {
            throw UsageError("\(folder) holds keys already (\(file)): delete the folder, or name another")
        }
    }
}
