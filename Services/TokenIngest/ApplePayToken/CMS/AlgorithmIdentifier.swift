/// An algorithm identifier of CMS with parameters that are absent or NULL: Apple writes both forms.
struct AlgorithmIdentifier: Hashable, Sendable {
    let identifier: ObjectIdentifier
    /// Whether there is only the name.
    let isPlain: Bool

    init(_ element: BERElement) throws(InvalidToken) {
        var children = element.children
        identifier = ObjectIdentifier(content: Array(try children.next(BERTag.objectIdentifier).value))
        let parameters = children.isAtEnd ? nil : try children.next()
        isPlain = parameters.map { $0.tag == BERTag.null && $0.content.isEmpty } ?? true
        try children.requireEnd()
    }

    func isPlain(_ identifier: ObjectIdentifier) -> Bool {
        isPlain && self.identifier == identifier
    }
}
