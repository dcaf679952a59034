import Foundation
import KeyFiles
import OrchardCrypto
import Testing

@Suite struct KeyFileTests {
    private let folder: Folder
    private let file: KeyFile

    init() throws {
        folder = try Folder()
        file = KeyFile(folder.path("key"))
    }

    @Test(arguments: [(KeyFile.Readers.owner, 0o600), (.everyone, 0o644)])
    func `a file is made for its readers only, and nothing is left beside it`(
        _ readers: KeyFile.Readers, _ mode: Int
    ) throws {
        #expect(try file.read() == nil)
        try file.create([1, 2, 3], readers: readers)
        #expect(try file.read() == [1, 2, 3])
        #expect(try folder.mode("key") == mode)
        #expect(folder.names == ["key"])
    }

    @Test func `a file that exists is never overwritten`() throws {
        try file.create([1], readers: .owner)
        let error = #expect(throws: KeyFileError.self) { try file.create([2], readers: .owner) }
        #expect(error?.code == .exists)
        #expect(try file.read() == [1])
        #expect(folder.names == ["key"])
    }

    @Test func `who has the old file open reads the old content to its end`() throws {
        try file.replace([1, 2, 3], readers: .everyone)
        let reader = try #require(FileHandle(forReadingAtPath: file.path))
        try file.replace([9], readers: .owner)
        #expect(try reader.readToEnd() == Data([1, 2, 3]))
        #expect(try file.read() == [9])
        #expect(try folder.mode("key") == 0o600)
        #expect(folder.names == ["key"])
    }

    @Test func `a link to the file stays a link`() throws {
        try file.create([1], readers: .owner)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link"), withDestinationPath: folder.path("key"))
        try KeyFile(folder.path("link")).replace([2], readers: .owner)
        #expect(try file.read() == [2])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link")) == folder.path("key"))
    }

    @Test func `a service's file stays the service's when root replaces it`() throws {
        // Only root can change a file's owner; other users cannot lose it here.
        guard getuid() == 0 else { return }
        try file.create([1], readers: .owner)
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65534, .groupOwnerAccountID: 65534], ofItemAtPath: file.path)
        try file.replace([2], readers: .owner)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.ownerAccountID] as? Int == 65534)
        #expect(attributes[.groupOwnerAccountID] as? Int == 65534)
    }

    @Test func `one command at a time changes the files of a folder`() throws {
        let other = KeyFile(folder.path("other"))
        try file.locked {
            let error = #expect(throws: KeyFileError.self) { try other.locked {} }
            #expect(error?.code == .busy)
        }
        try other.locked {}
    }

    @Test func `a folder that is missing is told with the path`() throws {
        let lost = KeyFile(folder.path("nowhere/key"))
        let error = #expect(throws: KeyFileError.self) { try lost.replace([1], readers: .owner) }
        #expect(error?.code == .unwritable)
        #expect(error?.description.contains("nowhere/key") == true)
        #expect(throws: KeyFileError.self) { try lost.locked {} }
    }

    @Test(arguments: [
        (0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o660, false), (0o644, false), (0o601, false),
    ])
    func `a private key is read only from a file that nobody else may read`(_ mode: Int, _ isRead: Bool) throws {
        try file.create([1, 2, 3], readers: .owner)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        if isRead {
            let content = try file.readPrivate().withBytes { Array($0.reversed()) }
            #expect(content == [3, 2, 1])
            try file.requirePrivate()
        } else {
            let error = #expect(throws: KeyFileError.self) { _ = try file.readPrivate() }
            #expect(error?.code == .exposed)
            #expect(error?.description.contains("chmod 600 \(file.path)") == true)
            #expect(throws: KeyFileError.self) { try file.requirePrivate() }
        }
        #expect(try file.read() == [1, 2, 3], "what is public may be read all the same")
    }

    @Test func `a private key that is not there, or is no file, is told`() throws {
        #expect(#expect(throws: KeyFileError.self) { _ = try file.readPrivate() }?.code == .missing)
        let error = #expect(throws: KeyFileError.self) { _ = try KeyFile(folder.path("")).readPrivate() }
        #expect(error?.code == .unreadable)
    }
}
