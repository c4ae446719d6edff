extension [String: [String]] {
    /// Values by name as pairs of a name and a value, in the order of the names.
    public var pairs: [(name: String, value: String)] {
        sorted { $0.key < $1.key }.flatMap { name, values in values.map { (name: name, value: $0) } }
    }
}
