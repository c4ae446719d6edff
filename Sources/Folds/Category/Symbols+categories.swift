/// Lists of categories and their definitions, as events carry them.
extension Symbols {
    /// The categories of a list, in its order.
    mutating func definitions(_ list: Symbol) -> [(category: Symbol, definition: Symbol)] {
        var result: [(category: Symbol, definition: Symbol)] = []
        withCopy(of: list) { symbols, bytes in
            var elements = JSONObject(bytes)
            while let definition = elements.nextElement() {
                var members = JSONObject(definition)
                while let (key, value) = members.next() {
                    guard key.isWord("id") else { continue }
                    let category = value.text(in: &symbols.names)
                    if category != .none {
                        result.append((category, symbols.lists.symbol(of: definition)))
                    }
                }
            }
        }
        return result
    }

    /// The categories of a list.
    package mutating func categories(_ list: Symbol) -> [Symbol] { definitions(list).map(\.category) }

    /// What of a definition other folds use.
    mutating func behaviour(_ definition: Symbol) -> Categories.Behaviour {
        var result = Categories.Behaviour()
        withCopy(of: definition) { symbols, bytes in
            var members = JSONObject(bytes)
            while let (key, value) = members.next() {
                if key.isWord("options") {
                    result.customDismiss = value.has("custom_dismiss_action")
                } else if key.isWord("actions") {
                    var elements = JSONObject(value)
                    while let element = elements.nextElement() {
                        result.actions.append(Categories.Action(element, &symbols))
                    }
                }
            }
        }
        return result
    }

    /// The strings of a table may move while others are added.
    private mutating func withCopy(of symbol: Symbol, _ body: (inout Symbols, UnsafeRawBufferPointer) -> Void) {
        let copy = lists.withBytes(of: symbol) { $0.map { Array($0) } ?? [] }
        copy.withUnsafeBytes { body(&self, $0) }
    }
}

extension Categories.Action {
    fileprivate init(_ bytes: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        self.init(id: .none, isTextInput: false, isForeground: false)
        var members = JSONObject(bytes)
        while let (key, value) = members.next() {
            if key.isWord("id") {
                id = value.text(in: &symbols.names)
            } else if key.isWord("type") {
                isTextInput = value.isString("text_input")
            } else if key.isWord("options") {
                isForeground = value.has("foreground")
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether an array of strings holds an option.
    fileprivate func has(_ option: StaticString) -> Bool {
        var options = JSONObject(self)
        while let element = options.nextElement() {
            if element.isString(option) { return true }
        }
        return false
    }
}
