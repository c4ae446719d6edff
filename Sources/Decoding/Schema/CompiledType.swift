import NotificationEvents

/// What a field holds, made ready for many events.
indirect enum CompiledType: Sendable {
    case string(maxBytes: Int, format: StringFormat)
    case label(maxBytes: Int)
    case identifier(maxBytes: Int)
    case uuid
    case timestamp
    case boolean
    case integer(ClosedRange<Int64>)
    case number(ClosedRange<Double>)
    case enumeration(CompiledEnumeration)
    case openEnumeration(CompiledEnumeration, maxBytes: Int)
    case optionSet(CompiledEnumeration)
    case list(CompiledType, maxCount: Int)
    case object(CompiledObject)
    case attributes(maxBytes: Int)
    case token
    case replyText(lengthField: String)
    case payload
    case headers

    init(_ type: FieldType, ids: inout Int) {
        switch type {
        case .string(let maxBytes, let format): self = .string(maxBytes: maxBytes, format: format)
        case .label(let maxBytes): self = .label(maxBytes: maxBytes)
        case .identifier(let maxBytes): self = .identifier(maxBytes: maxBytes)
        case .uuid: self = .uuid
        case .timestamp: self = .timestamp
        case .boolean: self = .boolean
        case .integer(let range): self = .integer(range)
        case .number(let range): self = .number(range)
        case .enumeration(let enumeration): self = .enumeration(CompiledEnumeration(enumeration))
        case .openEnumeration(let enumeration, let maxBytes):
            self = .openEnumeration(CompiledEnumeration(enumeration), maxBytes: maxBytes)
        case .optionSet(let enumeration): self = .optionSet(CompiledEnumeration(enumeration))
        case .list(let element, let maxCount): self = .list(CompiledType(element, ids: &ids), maxCount: maxCount)
        case .object(let fields): self = .object(CompiledObject(fields, ids: &ids))
        case .attributes(let maxBytes): self = .attributes(maxBytes: maxBytes)
        case .token: self = .token
        case .replyText(let lengthField): self = .replyText(lengthField: lengthField)
        case .payload: self = .payload
        case .headers: self = .headers
        }
    }
}
