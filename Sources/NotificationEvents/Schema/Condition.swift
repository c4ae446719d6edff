/// A condition on an event under which a rule applies.
///
/// Fields are paths, with a slash before a field within an object: `push/push_type`.
public indirect enum Condition: Sendable {
    /// Always.
    case always
    /// The field is present.
    case present(String)
    /// The field has this value, after names are normalised and defaults applied.
    case equals(String, String)
    /// The condition does not hold.
    case not(Condition)
    /// Each of them holds.
    case all([Condition])
    /// At least one of them holds.
    case any([Condition])
}
