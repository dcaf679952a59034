import Foundation
import OrchardHTTPTypes
import TestSupport
import Testing

@testable import SandboxDemo

@Suite("Files of the shop's pages")
struct PageFilesTests {
    private static let folder = Checkout.root.appending(path: "Tests/Sandbox/Demo/Storefront/Pages")

    /// The status of a request for a path, and its answer.
    private func get(
        _ path: [String], of pages: PageFiles, tag: String? = nil
    ) -> (status: Int, answer: HTTPResponse?) {
        var request = HTTPRequest(method: .get, target: "/")
        request.fields["If-None-Match"] = tag
        do throws(Problem) {
            let answer = try pages.answer(path, to: request)
            return (answer.status.code, answer)
        } catch {
            return (error.status.code, nil)
        }
    }

    @Test("the program has every file of the folder, byte for byte, and no other")
    func table() throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: Self.folder.path).filter { $0.contains(".") }
        #expect(Set(names.map { "/\($0)" }) == Set(PageTable.files.keys), "a file needs a line in PageTable.swift")
        for name in names {
            let file = try Data(contentsOf: Self.folder.appending(path: name))
            let isSame = PageTable.files["/\(name)"] == Array(file)
            #expect(isSame, "\(name)")
        }
    }

    @Test("every file is one that the server serves, from the program and from the folder")
    func types() throws {
        for path in PageTable.files.keys {
            let parts = path.dropFirst().split(separator: "/").map(String.init)
            #expect(get(parts, of: PageFiles(folder: nil)).status == 200, "\(path)")
            #expect(get(parts, of: PageFiles(folder: Self.folder)).status == 200, "\(path)")
        }
        #expect(get([], of: PageFiles(folder: nil)).answer?.body == PageTable.files["/index.html"])
    }

    @Test("types are told, and a browser asks again whether its copy is right")
    func fields() throws {
        let answer = try #require(get(["index.html"], of: PageFiles(folder: nil)).answer)
        #expect(answer.fields["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.fields["Cache-Control"] == "no-cache")
        let tag = try #require(answer.fields["ETag"])
        #expect(get(["index.html"], of: PageFiles(folder: nil), tag: tag).status == 304)
        #expect(get(["index.html"], of: PageFiles(folder: nil), tag: "\"other\"").status == 200)
    }

    @Test(
        "nothing else can be read",
        arguments: [
            [".."], ["..", "secret.txt"], [".", "index.html"], ["../secret.txt"], ["..\\secret.txt"],
            ["/etc/passwd"], [".hidden.txt"], ["sub"], ["sub", ""], ["link.txt"], ["up", "secret.txt"],
            ["page.exe"], ["page"], ["huge.txt"], ["index.html\0"], ["index.html "], ["café.txt"],
            [String(repeating: "a", count: 200) + ".txt"], ["nothing.html"],
        ])
    func refused(_ path: [String]) throws {
        let outer = try TemporaryFolder()
        let pages = outer.url.appending(path: "pages")
        try FileManager.default.createDirectory(
            at: pages.appending(path: "sub"), withIntermediateDirectories: true)
        _ = try outer.write("secret.txt", "secret")
        for name in ["index.html", ".hidden.txt", "page.exe", "page", "café.txt"] {
            _ = try outer.write("pages/\(name)", "page")
        }
        _ = try outer.write("pages/huge.txt", String(repeating: "x", count: 5 << 20))
        let files = FileManager.default
        try files.createSymbolicLink(
            at: pages.appending(path: "link.txt"), withDestinationURL: outer.url.appending(path: "secret.txt"))
        try files.createSymbolicLink(at: pages.appending(path: "up"), withDestinationURL: outer.url)
        #expect(get(["index.html"], of: PageFiles(folder: pages)).status == 200)
        #expect(get(path, of: PageFiles(folder: pages)).status == 404)
        #expect(get(path, of: PageFiles(folder: nil)).status == 404)
    }
}
