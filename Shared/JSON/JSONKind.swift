/// The six types of JSON values.
public enum JSONKind: Hashable, Sendable {
    case object, array, string, number, bool, null
}
