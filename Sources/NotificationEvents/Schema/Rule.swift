/// A rule across the fields of an event.
public enum Rule: Sendable {
    /// The field is needed where the condition holds; the reason completes "`x` is needed …".
    case required(String, when: Condition, reason: String)
    /// At least one of the fields is needed.
    case atLeastOne([String])
    /// No two elements of the list, a field's path, may have the same text under `key`.
    case unique(String, key: String)
}

/// A value that an absent field takes.
public struct ConditionalDefault: Sendable {
    /// The field, at the top level.
    public let field: String
    /// The value, as JSON.
    public let value: String
    /// When it is taken.
    public let condition: Condition

    /// Makes a default.
    public init(_ field: String, _ value: String, when condition: Condition) {
        self.field = field
        self.value = value
        self.condition = condition
    }
}

/// An event that is sent as one kind and means another.
public struct Rewrite: Sendable {
    /// When it means the other.
    public let condition: Condition
    /// The name of the other kind. Fields that it does not have are dropped.
    public let kind: String
    /// What the other kind's fields are set to, as JSON.
    public let fixed: [(field: String, value: String)]

    /// Makes a rewrite.
    public init(to kind: String, when condition: Condition, setting fixed: [(field: String, value: String)] = []) {
        self.kind = kind
        self.condition = condition
        self.fixed = fixed
    }
}
