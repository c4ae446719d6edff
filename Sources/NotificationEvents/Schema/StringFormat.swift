/// The format of a text.
public enum StringFormat: Sendable {
    /// Any text.
    case any
    /// A language tag (BCP 47); an underscore, as in `Locale.identifier`, is read as a hyphen.
    case languageTag
    /// The name of a time zone in the IANA database; only its format is checked.
    case timeZone
    /// The code of a currency (ISO 4217), see ``Currency``.
    case currency
}

extension StringFormat {
    /// Whether a text, in UTF-8, has the format.
    package func fits(_ text: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .any: true
        case .languageTag: text.isLanguageTag
        case .timeZone: text.isTimeZoneName
        case .currency: Currency.isCode(text)
        }
    }
}
