import KeyFiles
import OrchardCrypto
import OrchardJOSE
import Testing

@Suite struct StoredKeySetTests {
    private let folder: Folder
    private let file: KeyFile

    init() throws {
        folder = try Folder()
        file = KeyFile(folder.path("set.json"))
    }

    private func key(_ id: String) throws -> JWK {
        JWK(keyID: id, privateKey: try P256PrivateKey.generate(), notBefore: 1, expires: 2)
    }

    @Test(arguments: [(StoredKeySet.Halves.publicOnly, 0o644), (.withPrivate, 0o600)])
    func `holds the halves it is for, readable for those it is for`(_ halves: StoredKeySet.Halves, _ mode: Int) throws {
        let set = StoredKeySet(file, halves)
        #expect(try set.read() == nil)
        let keys = [try key("a"), try key("b")]
        try set.write(keys)
        let back = try #require(try set.read())
        #expect(back.map(\.keyID) == ["a", "b"])
        #expect(back.map(\.publicKey) == keys.map(\.publicKey))
        #expect(back.allSatisfy { $0.notBefore == 1 && $0.expires == 2 })
        #expect(back.allSatisfy { ($0.privateKey != nil) == (halves == .withPrivate) })
        #expect(try folder.mode("set.json") == mode)
    }

    @Test(arguments: [(StoredKeySet.Halves.publicOnly, StoredKeySet.Halves.withPrivate), (.withPrivate, .publicOnly)])
    func `two files mixed up are refused`(_ written: StoredKeySet.Halves, _ read: StoredKeySet.Halves) throws {
        try StoredKeySet(file, written).write([key("a")])
        let error = #expect(throws: KeyFileError.self) { try StoredKeySet(file, read).read() }
        #expect(error?.code == .content)
    }

    @Test(arguments: ["{", #"{"keys":[{"kty":"oct","k":"AyM1"}]}"#])
    func `a set that would lose something when written again is refused`(_ json: String) throws {
        try file.create(Array(json.utf8), readers: .everyone)
        let error = #expect(throws: KeyFileError.self) { try StoredKeySet(file, .publicOnly).read() }
        #expect(error?.code == .content)
    }
}
