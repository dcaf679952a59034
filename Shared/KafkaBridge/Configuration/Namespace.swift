/// Where Orchard's names become the cluster's and the other way round; the only place that knows the prefix.
struct Namespace: Sendable {
    private let prefix: String

    /// - Parameter prefix: as ``KafkaConfiguration/namespace``.
    init(_ prefix: String) { self.prefix = prefix }

    /// The cluster's name of a topic or a consumer group of this namespace.
    func outer(_ name: String) -> String { prefix.isEmpty ? name : prefix + name }

    /// The topic's name without the namespace; `nil` when it belongs to another one.
    func inner(_ name: String) -> String? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        return prefix.isEmpty ? name : String(name.dropFirst(prefix.count))
    }

    /// Which log it is that offsets count in: that of the cluster, or of the namespace in it.
    func log(ofCluster id: String) -> String { prefix.isEmpty ? id : "\(id)/\(prefix)" }

    /// What is wrong with a prefix, `nil` when nothing is.
    static func problem(_ prefix: String) -> String? {
        let isWritable = prefix.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isWritable && prefix.utf8.count <= 64 ? nil : "has at most 64 characters: letters, digits, . - and _"
    }
}
