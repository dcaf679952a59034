import Foundation
import OrchardHTTPClient
import OrchardHTTPTypes
import SandboxProcesses
import Testing

/// Requests to acquirers hold card numbers. libcurl joins a request's head and body in memory of its own.
struct WipedMemoryTests {
    @Test func nothingOfARequestStaysInMemoryThatLibcurlHasFreed() async throws {
        let server = try ChildProcess(
            ChildCommand(
                "python3",
                [
                    "-c",
                    """
                    import http.server
                    class Answer(http.server.BaseHTTPRequestHandler):
                        def do_POST(self):
                            self.rfile.read(int(self.headers["Content-Length"]))
                            self.send_response(204)
                            self.end_headers()
                    server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
                    print("port", server.server_port, flush=True)
                    server.serve_forever()
                    """,
                ], output: .pipe, errors: .null))
        defer { server.signal(SIGKILL) }
        let port = try #require(await server.line(containing: "port")?.split(separator: " ").last)
        let secret = "accNo=\(UInt64.random(in: 0 ... .max))"
        try await withClient { client in
            for number in 1...40 {
                let body = Array((secret + String(repeating: "&x", count: number * 20)).utf8)
                let request = HTTPClientRequest(method: .post, url: "http://127.0.0.1:\(port)/", body: body)
                #expect(await client.send(request).response != nil)
            }
            // Connections and handles are kept for the next request.
            let count = try Self.countBodies(beginningWith: Array(secret.utf8))
            #expect(count == 0)
        }
    }

    /// How often the process's memory has these bytes behind the empty line of a head.
    private static func countBodies(beginningWith secret: [UInt8]) throws -> Int {
        let memory = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/mem"))
        defer { try? memory.close() }
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { chunk.deallocate() }
        var count = 0
        for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard line.contains(" rw-p "), range.count == 2 else { continue }
            var address = range[0]
            while address < range[1] {
                // The chunk is searched itself, so nothing may be left in it.
                chunk.initializeMemory(as: UInt8.self, repeating: 0)
                let read = pread(
                    memory.fileDescriptor, chunk.baseAddress, min(chunk.count, Int(range[1] - address)),
                    off_t(address))
                guard read > 0 else { break }
                count += bodies(in: UnsafeRawBufferPointer(rebasing: chunk[..<read]), beginningWith: secret)
                address += UInt64(read)
            }
        }
        chunk.initializeMemory(as: UInt8.self, repeating: 0)
        return count
    }

    private static func bodies(in bytes: UnsafeRawBufferPointer, beginningWith secret: [UInt8]) -> Int {
        var (count, offset) = (0, 0)
        while let start = bytes.baseAddress?.advanced(by: offset),
            let found = memchr(start, 0x0d, bytes.count - offset)
        {
            let place = offset + start.distance(to: UnsafeRawPointer(found))
            let tail = bytes[place...]
            if tail.starts(with: "\r\n\r\n".utf8), tail.dropFirst(4).starts(with: secret) { count += 1 }
            offset = place + 1
        }
        return count
    }
}
