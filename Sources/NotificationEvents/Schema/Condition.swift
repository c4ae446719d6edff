/// What must hold of an event for a rule to apply.
///
/// Fields are named by path, with a slash before a field within an object: `push/push_type`.
public indirect enum Condition: Sendable {
    /// Always.
    case always
    /// The field is there.
    case present(String)
    /// The field has this value, after names were normalised and defaults filled in.
    case equals(String, String)
    /// The condition does not hold.
    case not(Condition)
    /// Each of them holds.
    case all([Condition])
    /// At least one of them holds.
    case any([Condition])
}
