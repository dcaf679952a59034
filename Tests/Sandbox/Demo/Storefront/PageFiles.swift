import Foundation
import OrchardCrypto
import OrchardHTTPTypes

/// The files of the shop's pages: those in the program, or those of a folder, read at each request.
struct PageFiles: Sendable {
    /// nil for those in the program.
    let folder: URL?

    /// The largest file that is served, in bytes.
    private static let maximum = 4 << 20

    /// What is served, by the ending of its name.
    private static let contentTypes = [
        "css": "text/css; charset=utf-8", "html": "text/html; charset=utf-8", "ico": "image/x-icon",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "png": "image/png",
        "svg": "image/svg+xml", "txt": "text/plain; charset=utf-8", "webmanifest": "application/manifest+json",
        "webp": "image/webp", "woff2": "font/woff2",
    ]

    /// Answers with a file.
    ///
    /// - Parameter path: the decoded parts of the request's path.
    /// - Throws: 404 for what is no file of the pages.
    func answer(_ path: [String], to request: HTTPRequest) throws(Problem) -> HTTPResponse {
        let path = path.isEmpty ? ["index.html"] : path
        guard path.allSatisfy(Self.isName), let type = Self.contentType(of: path), let content = content(of: path)
        else {
            throw Problem(.notFound, code: "not-found", detail: "the shop has no such page")
        }
        let tag = "\"\(Hex.encode(SHA256.hash(content).prefix(16)))\""
        // A browser asks each time whether its copy is still right: pages change with the program.
        let fields: HTTPFields = ["Content-Type": type, "Cache-Control": "no-cache", "ETag": tag]
        guard !request.fields.list("If-None-Match").contains(tag) else {
            return HTTPResponse(status: .notModified, fields: fields)
        }
        return HTTPResponse(status: .ok, fields: fields, body: content)
    }

    /// Letters, digits, hyphen, underscore and inner dots: no part can leave the folder or name a hidden file.
    private static func isName(_ part: String) -> Bool {
        !part.isEmpty && part.utf8.count <= 128 && part.utf8.first != UInt8(ascii: ".")
            && part.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    private static func contentType(of path: [String]) -> String? {
        guard let name = path.last, let dot = name.lastIndex(of: ".") else { return nil }
        return contentTypes[String(name[name.index(after: dot)...])]
    }

    private func content(of path: [String]) -> [UInt8]? {
        guard let folder else { return PageTable.files["/" + path.joined(separator: "/")] }
        let root = folder.resolvingSymlinksInPath().standardizedFileURL.path
        let file = folder.appending(path: path.joined(separator: "/")).resolvingSymlinksInPath().standardizedFileURL
        // A symbolic link may lead out of the folder.
        guard file.path.hasPrefix(root + "/"),
            let values = try? file.resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey]),
            values.isRegularFile == true, (values.fileSize ?? .max) <= Self.maximum,
            let content = try? Data(contentsOf: file)
        else { return nil }
        return Array(content)
    }
}
