import Charging

extension OperationPhase {
    /// The live phases as a list of SQL, written out so that the index `operations_live` serves: a parameter could be
    /// anything.
    static let liveList = allCases.filter(\.isLive).map { "'\($0.rawValue)'" }.joined(separator: ", ")
}
