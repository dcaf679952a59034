import Contracts

/// Orders with their times, the earliest first: a binary heap.
struct TimeHeap {
    struct Entry: Comparable {
        let time: Timestamp
        let order: OrderID

        static func < (left: Self, right: Self) -> Bool { (left.time, left.order) < (right.time, right.order) }
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child] < entries[parent] else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while 2 * parent + 1 < entries.count {
            var child = 2 * parent + 1
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entries[parent] else { return }
            entries.swapAt(child, parent)
            parent = child
        }
    }
}
