import Contracts
import Foundation
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import Testing

@testable import KeyFiles

@Suite final class SealingKeyFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "orchard-sealing-\(UUID().uuidString)")
    private let files: SealingKeyFiles

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        files = SealingKeyFiles(
            .cards, privateSet: folder.appending(path: "private.json").path,
            publicSet: folder.appending(path: "public.json").path)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private static func at(_ hours: Int64) -> Timestamp { Timestamp(seconds: 1_000_000 + hours * 3_600) }

    @Test func `what is sealed to the published key, the gateway opens`() throws {
        let added = try files.add(start: nil, now: Self.at(0))
        let published = try #require(try files.publicSet.read()?.first)
        #expect(published.keyID == JWK.thumbprint(of: added.publicKey))
        #expect(published.privateKey == nil)
        #expect(published.isActive(at: Self.at(0).seconds))
        let sealed = try JWE.seal(
            SecretBytes(copying: [1, 2, 3]), to: published.publicKey, keyID: published.keyID, apu: [4], apv: [5])
        let keys = try KeySetFile(path: files.privateSet.file.path, setting: "sealing.keys", for: .opening).keys
        let opened = try JWE.open(sealed, keys: { keys[$0]?.privateKey }, apu: [4], apv: [5])
        #expect(opened.withBytes { $0 == [1, 2, 3] })
    }

    @Test func `run every day, there is always a key to seal to and every key is destroyed at 48 hours`() throws {
        var first: String?
        for day in 0..<4 as Range<Int64> {
            let key = try files.add(start: nil, now: Self.at(day * 23))
            first = first ?? key.keyID
            _ = try files.prune(now: Self.at(day * 23))
            let published = try #require(try files.publicSet.read())
            for hour in 0..<23 as Range<Int64> {
                let time = Self.at(day * 23 + hour).seconds
                #expect(published.contains { $0.isActive(at: time) })
            }
        }
        let own = try #require(try files.privateSet.read())
        #expect(own.count == 3)
        #expect(!own.contains { $0.keyID == first })
        #expect(try files.publicSet.read()?.map(\.keyID) == own.map(\.keyID))
    }

    @Test func `a key for later seals from the second that was asked for`() throws {
        let key = try files.add(start: Self.at(5), now: Self.at(0))
        #expect(key.notBefore == Self.at(5).seconds)
        #expect(key.expires == Self.at(29).seconds)
    }

    @Test func `a key for later is refused before it has been out for an hour, while another seals`() throws {
        _ = try files.add(start: Self.at(0), now: Self.at(0))
        let error = #expect(throws: KeyFileError.self) {
            try self.files.add(start: Self.at(1) - .seconds(1), now: Self.at(0))
        }
        #expect(error?.reason.contains("before every host has it") == true)
        _ = try files.add(start: Self.at(1), now: Self.at(0))
        #expect(try files.publicSet.read()?.count == 2)
    }

    @Test func `nothing is published that the gateway did not get`() throws {
        // Names end at 255 bytes, and what is to become the file has a longer one.
        let files = SealingKeyFiles(
            .cards, privateSet: folder.appending(path: String(repeating: "p", count: 250)).path,
            publicSet: self.files.publicSet.file.path)
        let error = #expect(throws: KeyFileError.self) { try files.add(start: nil, now: Self.at(1)) }
        #expect(error?.code == .unwritable)
        #expect(try files.publicSet.file.read() == nil)
    }

    @Test func `a set that is not there is no set without old keys`() throws {
        let error = #expect(throws: KeyFileError.self) { try self.files.prune(now: Self.at(0)) }
        #expect(error?.code == .missing)
    }

    @Test(arguments: [
        (["add", "--public", "b"], "--private is missing"),
        (["prune", "--private", "a"], "--public is missing"),
        (["add", "--private", "a", "--public", "./a"], "must be two files"),
        (["add", "--private", "a", "--public", "b", "--starts", "tomorrow"], "--starts must be a time"),
        (["add", "--private", "a", "--public", "b", "--starts", "2020-01-01T00:00:00Z"], "is past"),
    ])
    func `a wrong command line is published`(_ arguments: [String], _ expected: String) async throws {
        var published = ""
        let program = CommandLineProgram(version: "0", root: SealingKeysCommand(.cards).command)
        #expect(await program.run(arguments, output: { _ in }, errors: { published += $0 }) == 2)
        #expect(published.contains(expected))
    }

    @Test func `rotate makes a key when it is time, and no other one`() async throws {
        let program = CommandLineProgram(version: "0", root: SealingKeysCommand(.cards).command)
        func run() async -> (status: Int32, output: String) {
            var output = ""
            let status = await program.run(
                ["rotate", "--private", files.privateSet.file.path, "--public", files.publicSet.file.path],
                output: { output += $0 }, errors: { output += $0 })
            return (status, output)
        }
        _ = try files.add(start: nil, now: .now - .seconds(3_600))
        #expect(await run().status == 0)
        #expect(try files.publicSet.read()?.count == 2)
        #expect(await run().status == 0)
        #expect(try files.publicSet.read()?.count == 2 && files.privateSet.read()?.count == 2)
    }
}
