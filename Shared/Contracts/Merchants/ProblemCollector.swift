import OrchardJSON

/// Collects the problems of a JSON object while it is read field by field, so that one message lists them all.
struct ProblemCollector {
    private(set) var problems: [String] = []

    /// Notes a problem at `path`.
    mutating func add(_ path: String, _ problem: String) {
        problems.append("\(path): \(problem)")
    }

    /// Notes members of `object` that are not in `known`.
    mutating func refuseOthers(than known: Set<String>, in object: JSONValue, at path: String) {
        guard let members = object.members else { return add(path, "an object is expected") }
        for member in members where !known.contains(member.name) {
            add(
                "\(path).\(OutsideText.printable(member.name, upTo: 64))",
                "no such member; known are \(known.sorted().joined(separator: ", "))")
        }
    }

    /// The text of a required member. A missing, empty or too long text is a problem.
    mutating func text(_ name: String, in object: JSONValue, at path: String, limit: Int = 256) -> String {
        guard let value = object[name]?.string, (1...limit).contains(value.utf8.count) else {
            add("\(path).\(name)", "a text of 1 to \(limit) bytes is required")
            return ""
        }
        return value
    }

    /// The text of an optional member.
    mutating func optionalText(_ name: String, in object: JSONValue, at path: String, limit: Int = 256) -> String? {
        object[name] == nil ? nil : text(name, in: object, at: path, limit: limit)
    }

    /// A member that is true or false; false when it is missing.
    mutating func flag(_ name: String, in object: JSONValue, at path: String) -> Bool {
        guard let value = object[name] else { return false }
        guard case .bool(let flag) = value else {
            add("\(path).\(name)", "true or false is expected")
            return false
        }
        return flag
    }

    /// An optional member that is a number in `range`.
    mutating func integer(
        _ name: String, in object: JSONValue, at path: String, _ range: ClosedRange<Int>, default value: Int
    ) -> Int {
        guard let found = object[name] else { return value }
        guard case .integer(let number) = found, let number = Int(exactly: number), range.contains(number) else {
            add("\(path).\(name)", "a number from \(range.lowerBound) to \(range.upperBound) is expected")
            return value
        }
        return number
    }

    /// The elements of a member, each read by `read`; elements that cannot be read are left out after being noted.
    mutating func list<Element>(
        _ name: String, in object: JSONValue, at path: String, isRequired: Bool = true,
        _ read: (JSONValue, String, inout ProblemCollector) -> Element?
    ) -> [Element] {
        guard let value = object[name] else {
            if isRequired { add("\(path).\(name)", "a list is required") }
            return []
        }
        guard let elements = value.array, !(isRequired && elements.isEmpty) else {
            add("\(path).\(name)", isRequired ? "a list with at least one element is required" : "a list is expected")
            return []
        }
        return elements.enumerated().compactMap { index, element in
            read(element, "\(path).\(name)[\(index)]", &self)
        }
    }

    /// The elements of a member that are names of networks.
    mutating func networks(_ name: String, in object: JSONValue, at path: String) -> [CardNetwork] {
        let known = CardNetwork.allCases.map(\.rawValue).joined(separator: ", ")
        return text(name, in: object, at: path, of: "network; known are \(known)") { CardNetwork(rawValue: $0) }
    }

    /// The elements of a member that are texts of one kind.
    mutating func text<Word>(
        _ name: String, in object: JSONValue, at path: String, of what: String, _ make: (String) -> Word?
    ) -> [Word] {
        list(name, in: object, at: path) { value, path, problems in
            guard let word = value.string.flatMap(make) else {
                problems.add(path, "this is no \(what)")
                return nil
            }
            return word
        }
    }
}
