import CYardstick
import Foundation
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// An echoed `POST` of 2 KiB, on 64 connections, beside libmicrohttpd.
struct HTTPBenchmark: LocalBenchmark {
    let name = "http"
    let limit = """
        Of the CPU of a request nine tenths are the kernel's: one receive, one send (seven tenths of all: it also carries \
        the answer to the client's socket), its share of a wait. libmicrohttpd calls the kernel as often. Requests that come \
        at about the same time are received, then read, then answered, which spares a fifteenth. On an AMD EPYC a server \
        that did nothing by itself would be a quarter faster than libmicrohttpd; on an Intel Xeon this one is. What is spent \
        here is spread: the request's texts and their memory, the head's checks, the answer's bytes, metrics, the trace. More \
        needs fewer system calls (io_uring, which container runtimes forbid by default), or requests that come together: see \
        the pipelined ones.
        """
    private static let connections: Int32 = 64
    private static let seconds = 0.1

    func run(scale: Int) async throws -> [Row] {
        var router = Router()
        router.onImmediate(.post, "/echo") { request, _ in HTTPResponse(status: .ok, body: request.body) }
        router.on(.post, "/task") { request, _ in HTTPResponse(status: .ok, body: request.body) }
        var configuration = HTTPServerConfiguration(host: "127.0.0.1", port: 0)
        // The clients need a core of their own: else the order of the threads is measured.
        configuration.eventLoops = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
        let server = HTTPServer(
            configuration: configuration, router: router, logger: Logger(label: "bench", level: .error))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            let shutdown = GracefulShutdown()
            group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await server.run() } }
            let port = Int32(try await server.boundPort)
            let rows = try await rows(port, threads: UInt32(configuration.eventLoops), rounds: max(3, scale) | 1)
            shutdown.begin()
            try await group.waitForAll()
            return rows
        }
    }

    private func rows(_ port: Int32, threads: UInt32, rounds: Int) async throws -> [Row] {
        var peerPort: Int32 = 0
        let peer = yardstick_http_serve(threads, &peerPort)
        defer { if let peer { yardstick_http_stop(peer) } }
        var measured: [Round] = []
        for index in 0..<rounds {
            var round = Round()
            let loads: [(inout Round) async throws -> Void] = [
                { if peer != nil { $0.peer = try await Load(peerPort, "/echo") } },
                { $0.immediate = try await Load(port, "/echo") },
                { $0.task = try await Load(port, "/task") },
                { $0.pipelined = try await Load(port, "/echo", pipelined: 8) },
            ]
            // Each server's work ends a little after its load: each is behind the other as often as before it.
            for load in index.isMultiple(of: 2) ? loads : loads.reversed() { try await load(&round) }
            measured.append(round)
        }
        let immediate = measured.median { $0.immediate.rate / ($0.peer?.rate ?? 1) }
        let task = measured.median { $0.task.rate / ($0.peer?.rate ?? 1) }
        let pipelined = measured.median(by: \.pipelined.rate).pipelined
        return [
            Row(
                name: "POST echo of 2 KiB, immediate handler", value: immediate.immediate.rate, unit: "answers/s",
                yardstick: immediate.peer.map { ("libmicrohttpd", $0.rate) },
                bound: peer == nil ? nil : .atLeastShare(1.1), aim: peer == nil ? nil : .atLeastShare(1.3), alarm: 0.4,
                remark: immediate.peer.map { "\(immediate.immediate.cost) a request, libmicrohttpd \($0.cost)" }
                    ?? "libmicrohttpd-dev is not installed; \(immediate.immediate.cost) a request"),
            Row(
                name: "POST echo of 2 KiB, handler in a task", value: task.task.rate, unit: "answers/s",
                yardstick: task.peer.map { ("libmicrohttpd", $0.rate) }, remark: "\(task.task.cost) a request"),
            Row(
                name: "POST echo of 2 KiB, 8 requests pipelined", value: pipelined.rate, unit: "answers/s",
                remark: "\(pipelined.cost) a request"),
        ]
    }

    /// One load after the other.
    private struct Round {
        var peer: Load?
        var immediate = Load()
        var task = Load()
        var pipelined = Load()
    }

    private struct Load {
        /// Answers per second.
        var rate = 0.0
        /// CPU time of the server per request.
        var cost = ""

        init() {}

        init(_ port: Int32, _ path: String, pipelined: Int = 1) async throws {
            let head = "POST \(path) HTTP/1.1\r\nHost: bench\r\nContent-Length: 2048\r\n\r\n"
            let one = Array(head.utf8) + [UInt8](repeating: 120, count: 2_048)
            let result = await HTTPLoad.run(
                port, connections: HTTPBenchmark.connections, [Array(repeatElement(one, count: pipelined).joined())],
                pipelined: Int32(pipelined), seconds: HTTPBenchmark.seconds)
            guard let result, result.load.refused == 0 else { throw BenchError("port \(port) does not answer \(path)") }
            let load = result.load
            rate = Double(load.answers) / Double(load.nanoseconds) * 1e9
            cost = String(
                format: "%.1f µs", (result.processor - Double(load.processor)) / Double(load.answers) / 1_000)
        }
    }
}

/// Clients of ``yardstick_http_load`` on their own thread.
enum HTTPLoad {
    /// - Parameters:
    ///   - seconds: how long the first request is repeated; 0 sends each request once.
    /// - Returns: nil when a connection failed; the CPU time of this process is in nanoseconds.
    static func run(
        _ port: Int32, connections: Int32, _ requests: [[UInt8]], pipelined: Int32 = 1, seconds: Double = 0
    ) async -> (load: yardstick_load, processor: Double)? {
        var offsets: [Int64] = [0]
        for request in requests { offsets.append((offsets.last ?? 0) + Int64(request.count)) }
        let (all, places) = (requests.joined().map { CChar(bitPattern: $0) }, offsets)
        let result = Locked((load: yardstick_load(), processor: 0.0))
        await runOnOwnThread(named: "clients") {
            let begun = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID)
            let load = yardstick_http_load(
                port, connections, all, places, Int64(requests.count), pipelined, Int64(seconds * 1e9))
            let processor = clockNanoseconds(CLOCK_PROCESS_CPUTIME_ID) - begun
            result.withLock { $0 = (load, processor) }
        }
        let (load, processor) = result.withLock { ($0.load, $0.processor) }
        return load.answers > 0 ? (load, processor) : nil
    }
}
