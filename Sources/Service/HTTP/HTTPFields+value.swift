internal import HTTPTypes

extension HTTPFields {
    /// The value of a header, as the subscript gives it, at less cost: nearly every header is sent once or not at all.
    func value(_ name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name.canonicalName == name.canonicalName {
            guard found == nil else { return self[name] }
            found = field.value
        }
        return found
    }
}
