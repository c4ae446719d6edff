extension JSONWriter {
    /// Writes a member whose value is an array of texts.
    public mutating func field(_ name: StaticString, _ values: some Sequence<String>) {
        self.name(name)
        array { json in
            for value in values { json.string(value) }
        }
    }

    /// Writes a member whose value is an object of arrays of texts, in the order of their names.
    public mutating func field(_ name: StaticString, _ values: [String: [String]]) {
        self.name(name)
        object { json in
            for (name, values) in values.sorted(by: { $0.key < $1.key }) {
                json.name(text: name)
                json.array { json in for value in values { json.string(value) } }
            }
        }
    }

    /// Writes a member whose value is an array of objects.
    ///
    /// - Parameter members: writes the members of an element's object.
    public mutating func field<Element>(
        _ name: StaticString,
        objects: some Sequence<Element>,
        members: (Element, inout JSONWriter) throws -> Void
    ) rethrows {
        self.name(name)
        try array { json in
            for element in objects { try json.object { try members(element, &$0) } }
        }
    }
}
