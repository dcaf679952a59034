import Contracts
import Foundation
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import TestSupport
import Testing

@testable import KeyFiles

@Suite("Sealing keys that a gateway makes itself")
struct SealingRotationTests {
    private let folder: TemporaryFolder
    private let files: SealingKeyFiles
    private let readiness = Readiness()
    private let log = LogRecorder()

    init() throws {
        folder = try TemporaryFolder()
        files = SealingKeyFiles(
            .cards, privateSet: folder.url.appending(path: "private.json").path,
            publicSet: folder.url.appending(path: "public.json").path)
    }

    private static func at(_ minutes: Int64) -> Timestamp { Timestamp(seconds: 1_000_000 + minutes * 60) }

    private func rotation(_ now: Timestamp) -> SealingRotation {
        SealingRotation(files: files, readiness: readiness, logger: log.logger, now: { now })
    }

    @Test("over a week of minutes there is always one to seal to, out for an hour, and none is older than 48 hours")
    func week() throws {
        var madeAt: [String: Int64] = [:]
        for minute in stride(from: 0, to: 7 * 24 * 60, by: 20) as StrideTo<Int64> {
            // Two gateways that are told to do it do no harm.
            rotation(Self.at(minute)).rotate()
            rotation(Self.at(minute)).rotate()
            let published = try #require(try files.publicSet.read())
            let own = Set(try #require(try files.privateSet.read()).map(\.keyID))
            #expect(published.allSatisfy { own.contains($0.keyID) && $0.privateKey == nil })
            for key in published where madeAt[key.keyID] == nil { madeAt[key.keyID] = minute }
            let now = Self.at(minute).seconds
            #expect(published.contains { $0.isActive(at: now) }, "minute \(minute)")
            for key in published.filter({ $0.isActive(at: now) }) {
                let out = minute - (madeAt[key.keyID] ?? minute)
                #expect(out >= 60 || key.notBefore == Self.at(0).seconds, "key \(key.keyID) was out for \(out) minutes")
                #expect(try #require(key.notBefore) + 172_800 > now)
            }
            #expect(published.count <= 4)
        }
        #expect(madeAt.count == 8)
        #expect(log.lines.filter { $0.message.hasPrefix("destroyed") }.count == 5)
    }

    @Test("a folder that cannot be written is told, and does not end the gateway")
    func unwritable() {
        let files = SealingKeyFiles(.cards, privateSet: "/proc/none/private.json", publicSet: "/proc/none/public.json")
        let rotation = SealingRotation(files: files, readiness: readiness, logger: log.logger, now: { Self.at(0) })
        rotation.rotate()
        rotation.rotate()
        let component = readiness.report.components["sealing rotation"]
        #expect(component?.isReady == true && component?.reason.hasPrefix("WARNING: the next sealing key") == true)
        #expect(log.lines.filter { $0.message.contains("cannot be made") && $0.level == .error }.count == 1)
    }

    @Test("a public set with a key that cannot be opened is refused, not continued")
    func foreign() throws {
        _ = try files.add(start: nil, now: Self.at(0))
        try files.publicSet.write([
            JWK(keyID: "foreign", publicKey: try P256PrivateKey.generate().publicKey, expires: Self.at(1).seconds)
        ])
        let error = #expect(throws: KeyFileError.self) { try files.rotate(now: Self.at(2)) }
        #expect(error?.reason.contains("publishes key foreign") == true)
    }

    @Test("the end of sealing is warned of six hours ahead, once in the log")
    func end() throws {
        let key = try files.add(start: nil, now: Self.at(0))
        let metrics = MetricsRegistry()
        let end = SealingKeyExpiry(
            .cards,
            sealingKeys: try KeySetFile(path: files.privateSet.file.path, setting: "sealing.keys", for: .opening),
            metrics: metrics, readiness: readiness, logger: log.logger)
        var component: ReadinessReport.Component? { readiness.report.components["sealing"] }
        end.report(at: Self.at(18 * 60))
        #expect(component == nil)
        #expect(metrics.expose().contains("charge_gateway_sealing_remaining_seconds 21600"))
        end.report(at: Self.at(18 * 60 + 1))
        end.report(at: Self.at(18 * 60 + 2))
        #expect(component?.isReady == true && component?.reason.hasPrefix("WARNING: no key to seal") == true)
        #expect(component?.reason.contains("\(Timestamp(seconds: try #require(key.expires)))") == true)
        #expect(log.lines.filter { $0.level == .warning }.count == 1)
        rotation(Self.at(18 * 60 + 3)).rotate()
        _ = end.sealingKeys.reload()
        end.report(at: Self.at(18 * 60 + 4))
        #expect(component?.reason == "the next key is there")
    }
}
