/// The files of `Pages`, which are part of the program: the path of each and its bytes.
///
/// SwiftPM names the bytes after the file alone, so no two files have the same name. A test compares this table with the
/// folder.
enum PageTable {
    static let files: [String: [UInt8]] = [
        "/index.html": PackageResources.index_html
    ]
}
