/// Descriptors in the order in which they began to wait; each is there at most once. Every change takes constant time.
struct WaitingList {
    private struct Links {
        var before: Int32?
        var after: Int32?
    }

    /// By descriptor; nil for one that does not wait.
    private var links: [Links?] = []
    /// The one that waits longest.
    private(set) var first: Int32?
    private var last: Int32?

    func contains(_ descriptor: Int32) -> Bool {
        Int(descriptor) < links.count && links[Int(descriptor)] != nil
    }

    mutating func append(_ descriptor: Int32) {
        guard !contains(descriptor) else { return }
        while links.count <= Int(descriptor) { links.append(nil) }
        links[Int(descriptor)] = Links(before: last, after: nil)
        if let last { links[Int(last)]?.after = descriptor } else { first = descriptor }
        last = descriptor
    }

    mutating func remove(_ descriptor: Int32) {
        guard contains(descriptor), let old = links[Int(descriptor)] else { return }
        links[Int(descriptor)] = nil
        if let before = old.before { links[Int(before)]?.after = old.after } else { first = old.after }
        if let after = old.after { links[Int(after)]?.before = old.before } else { last = old.before }
    }
}
