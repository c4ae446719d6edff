import NotificationEvents

extension EventKind {
    /// Who may send it, what it requires, and how it is rewritten, a sentence each.
    var sentences: [String] {
        var sentences: [String] = []
        switch providerOnly {
        case nil: break
        case .always?: sentences.append("Needs a key of scope provider.")
        case let condition?: sentences.append("Needs a key of scope provider where \(condition.words).")
        }
        if !fields.contains(where: { $0.name == "device_id" && $0.isRequired }) {
            sentences.append("`device_id` may be absent.")
        }
        sentences += rules.map(\.sentence)
        sentences += conditionalDefaults.map { "`\($0.field)` is `\($0.value)` if absent where \($0.condition.words)." }
        sentences += rewrites.map { rewrite in
            let fixed = rewrite.fixed.map { "`\($0.field)` `\($0.value)`" }.joined(separator: " and ")
            return
                "Is taken as `\(rewrite.kind)`\(fixed.isEmpty ? "" : " with \(fixed)") where \(rewrite.condition.words)."
        }
        return sentences
    }
}

extension Rule {
    fileprivate var sentence: String {
        switch self {
        case .required(let field, _, let reason): "`\(Condition.dotted(field))` is required \(reason)."
        case .atLeastOne(let fields):
            "Needs \(fields.map { "`\(Condition.dotted($0))`" }.joined(separator: " or "))."
        case .unique(let list, let key): "No two of `\(Condition.dotted(list))` have the same `\(key)`."
        }
    }
}

extension Condition {
    /// The condition as a clause.
    fileprivate var words: String {
        switch self {
        case .always: "it is sent"
        case .present(let field): "`\(Self.dotted(field))` is given"
        case .equals(let field, let value): "`\(Self.dotted(field))` is `\(value)`"
        case .not(.present(let field)): "`\(Self.dotted(field))` is absent"
        case .not(.equals(let field, let value)): "`\(Self.dotted(field))` is not `\(value)`"
        case .not(let condition): "it is not the case that \(condition.words)"
        case .all(let conditions): conditions.map(\.part).joined(separator: " and ")
        case .any(let conditions): conditions.map(\.part).joined(separator: " or ")
        }
    }

    /// The condition within another one: in brackets where it has parts of its own.
    private var part: String {
        switch self {
        case .all(let conditions), .any(let conditions): conditions.count > 1 ? "(\(words))" : words
        default: words
        }
    }

    fileprivate static func dotted(_ path: String) -> String {
        path.split(separator: "/").joined(separator: ".")
    }
}
