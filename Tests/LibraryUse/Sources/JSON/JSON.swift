/// Stands for the many packages with a module of this name.
public enum JSON: Sendable {
    case null
}
