/// The values of a field, by name; with Apple's raw integers if those are accepted too.
public struct Enumeration: Sendable {
    /// The name of the enumeration at its source, for messages and documents.
    public let name: String
    /// The values, in their documented order.
    public let cases: [Case]

    /// One value.
    public struct Case: Sendable {
        /// Its name, as stored.
        public let name: String
        /// Apple's raw integer, or the bit of an option set.
        public let rawValue: Int?
        /// Other spellings that are accepted (APNs writes `time-sensitive`).
        public let aliases: [String]
    }

    /// An enumeration with names only.
    public init(_ name: String, _ cases: [String]) {
        self.name = name
        self.cases = cases.map { Case(name: $0, rawValue: nil, aliases: []) }
    }

    /// An enumeration whose raw integers are accepted as names, written as `["denied": 1]`.
    public init(_ name: String, raw cases: KeyValuePairs<String, Int>) {
        self.name = name
        self.cases = cases.map { Case(name: $0.key, rawValue: $0.value, aliases: []) }
    }

    private init(name: String, cases: [Case]) {
        self.name = name
        self.cases = cases
    }

    /// The same enumeration, with other accepted spellings of its values.
    func alias(_ other: String, for name: String) -> Enumeration {
        Enumeration(
            name: self.name,
            cases: cases.map { value in
                value.name == name
                    ? Case(name: value.name, rawValue: value.rawValue, aliases: value.aliases + [other]) : value
            }
        )
    }

    /// The same enumeration, with the names of its cases in Swift accepted as well.
    func withCaseNames() -> Enumeration {
        cases.reduce(self) { $0.alias($1.name.caseName, for: $1.name) }
    }

    /// The names, in order.
    public var names: [String] {
        cases.map(\.name)
    }
}

extension String {
    /// A name in snake_case as Swift spells the case: `attachment_invalid_url` is `attachmentInvalidURL`.
    fileprivate var caseName: String {
        let words = split(separator: "_")
        return words.prefix(1).joined()
            + words.dropFirst().map { $0 == "url" ? "URL" : $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
