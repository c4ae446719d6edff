/// A rule across the fields of an event.
public enum Rule: Sendable {
    /// The field is required if the condition holds; the reason completes "`x` is required …".
    case required(String, when: Condition, reason: String)
    /// At least one of the fields is required.
    case atLeastOne([String])
    /// No two elements of the list, a field's path, may have the same text under `key`.
    case unique(String, key: String)
}

/// A default that depends on other fields.
public struct ConditionalDefault: Sendable {
    /// The field, at the top level.
    public let field: String
    /// The value, as JSON.
    public let value: String
    /// When it applies.
    public let condition: Condition

    /// Makes a default.
    public init(_ field: String, _ value: String, when condition: Condition) {
        self.field = field
        self.value = value
        self.condition = condition
    }
}

/// A kind of event that means another kind under a condition.
public struct Rewrite: Sendable {
    /// The condition.
    public let condition: Condition
    /// The name of the other kind. Fields that it does not have are dropped.
    public let kind: String
    /// The values of the other kind's fields, as JSON.
    public let fixed: [(field: String, value: String)]

    /// Makes a rewrite.
    public init(to kind: String, when condition: Condition, setting fixed: [(field: String, value: String)] = []) {
        self.kind = kind
        self.condition = condition
        self.fixed = fixed
    }
}
