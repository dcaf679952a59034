import Foundation

/// The checkout that these tests were built from.
public enum Checkout {
    /// Its uppermost folder.
    public static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL
}
