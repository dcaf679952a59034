/// A few values by a key of bytes, such as a digest: when a new one does not fit, the least recently used one is removed.
///
/// For a few entries only, because it compares them one after another.
package struct RecentlyUsed<Value: Sendable>: Sendable {
    /// How many values are kept.
    package let capacity: Int
    /// The most recently used entry is the last.
    private var entries: [(key: [UInt8], value: Value)] = []

    package init(capacity: Int) {
        precondition(capacity > 0, "nothing could be kept")
        self.capacity = capacity
    }

    package var count: Int { entries.count }

    /// The value of that key, marked as used now.
    package mutating func use(_ key: [UInt8]) -> Value? {
        guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
        if index < entries.count - 1 { entries.append(entries.remove(at: index)) }
        return entries.last?.value
    }

    /// Stores a value; it replaces an earlier one of that key.
    package mutating func keep(_ value: Value, for key: [UInt8]) {
        entries.removeAll { $0.key == key }
        if entries.count == capacity { entries.removeFirst() }
        entries.append((key, value))
    }
}
