import FaultyServer

/// What a server does instead of giving a verified answer.
struct PlayedFault: Sendable {
    let name: String
    let play: @Sendable (FaultyPeer) -> Void

    static let garbage = PlayedFault(name: "an answer of garbage") { peer in
        peer.readRequest()
        peer.answer("\u{1}\u{2} not what you asked for &=%%{}[]", isLast: true)
    }

    static let all: [PlayedFault] = [
        garbage,
        PlayedFault(name: "an empty answer") { peer in
            peer.readRequest()
            peer.answer("", isLast: true)
        },
        PlayedFault(name: "status 500") { peer in
            peer.readRequest()
            peer.answer("paid", status: "500 Internal Server Error", isLast: true)
        },
        PlayedFault(name: "a redirect") { peer in
            peer.readRequest()
            peer.send(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        },
        PlayedFault(name: "a connection that ends") { peer in peer.readRequest() },
        PlayedFault(name: "half an answer") { peer in
            peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nstatus=")
        },
        PlayedFault(name: "no answer at all") { peer in
            peer.readRequest()
            peer.waitForEnd()
        },
    ]
}
