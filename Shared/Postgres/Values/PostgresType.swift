/// The object id of a PostgreSQL type (`pg_type.oid`, fixed for built-in types).
public struct PostgresType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let bool = Self(rawValue: 16)
    public static let bytea = Self(rawValue: 17)
    public static let name = Self(rawValue: 19)
    public static let int8 = Self(rawValue: 20)
    public static let int2 = Self(rawValue: 21)
    public static let int4 = Self(rawValue: 23)
    public static let text = Self(rawValue: 25)
    public static let oid = Self(rawValue: 26)
    public static let json = Self(rawValue: 114)
    public static let float8 = Self(rawValue: 701)
    public static let unknown = Self(rawValue: 705)
    public static let bpchar = Self(rawValue: 1042)
    public static let varchar = Self(rawValue: 1043)
    public static let timestamptz = Self(rawValue: 1184)
    public static let numeric = Self(rawValue: 1700)
    public static let uuid = Self(rawValue: 2950)

    public static let boolArray = Self(rawValue: 1000)
    public static let byteaArray = Self(rawValue: 1001)
    public static let int2Array = Self(rawValue: 1005)
    public static let int4Array = Self(rawValue: 1007)
    public static let textArray = Self(rawValue: 1009)
    public static let int8Array = Self(rawValue: 1016)
    public static let float8Array = Self(rawValue: 1022)
    public static let timestamptzArray = Self(rawValue: 1185)
    public static let uuidArray = Self(rawValue: 2951)

    /// Whether the bytes of its values are text or bytes, which ``PostgresRow/withBytes(at:_:)`` lends.
    var isLent: Bool {
        switch self {
        case .bytea, .text, .varchar, .bpchar, .name: true
        default: false
        }
    }
}
