/// Descriptors in the order in which they began to wait; each is there at most once. Every change takes constant time.
struct WaitingList {
    /// Every request changes a list: plain numbers are compared and copied quicker than optional ones.
    private static let none: Int32 = -1

    private struct Links {
        var before = WaitingList.none
        var after = WaitingList.none
        var isWaiting = false
    }

    /// By descriptor.
    private var links: [Links] = []
    private var head = Self.none
    private var tail = Self.none

    /// The one that waits longest.
    var first: Int32? { head == Self.none ? nil : head }

    func contains(_ descriptor: Int32) -> Bool {
        Int(descriptor) < links.count && links[Int(descriptor)].isWaiting
    }

    mutating func append(_ descriptor: Int32) {
        guard !contains(descriptor) else { return }
        while links.count <= Int(descriptor) { links.append(Links()) }
        links[Int(descriptor)] = Links(before: tail, isWaiting: true)
        if tail == Self.none { head = descriptor } else { links[Int(tail)].after = descriptor }
        tail = descriptor
    }

    mutating func remove(_ descriptor: Int32) {
        guard contains(descriptor) else { return }
        let old = links[Int(descriptor)]
        links[Int(descriptor)] = Links()
        if old.before == Self.none { head = old.after } else { links[Int(old.before)].after = old.after }
        if old.after == Self.none { tail = old.before } else { links[Int(old.after)].before = old.before }
    }
}
