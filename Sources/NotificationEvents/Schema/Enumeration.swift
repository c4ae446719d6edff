/// The values that a field may take, by name; with Apple's raw integers where those are accepted too.
public struct Enumeration: Sendable {
    /// What the enumeration is called where it comes from, for messages and documents.
    public let name: String
    /// The values, in their documented order.
    public let cases: [Case]

    /// One value.
    public struct Case: Sendable {
        /// How it is written and stored.
        public let name: String
        /// Apple's raw integer, or the bit of an option set.
        public let rawValue: Int?
        /// Other spellings that are read as this one (APNs writes `time-sensitive`).
        public let aliases: [String]
    }

    /// An enumeration of names alone.
    public init(_ name: String, _ cases: [String]) {
        self.name = name
        self.cases = cases.map { Case(name: $0, rawValue: nil, aliases: []) }
    }

    /// An enumeration whose raw integers are read as names, written as `["denied": 1]`.
    public init(_ name: String, raw cases: KeyValuePairs<String, Int>) {
        self.name = name
        self.cases = cases.map { Case(name: $0.key, rawValue: $0.value, aliases: []) }
    }

    private init(name: String, cases: [Case]) {
        self.name = name
        self.cases = cases
    }

    /// The same enumeration, with other spellings of its values that are read as well.
    func alias(_ other: String, for name: String) -> Enumeration {
        Enumeration(
            name: self.name,
            cases: cases.map { value in
                value.name == name
                    ? Case(name: value.name, rawValue: value.rawValue, aliases: value.aliases + [other]) : value
            }
        )
    }

    /// The names, in order.
    public var names: [String] {
        cases.map(\.name)
    }
}
