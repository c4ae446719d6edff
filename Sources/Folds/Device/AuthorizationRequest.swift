/// What an app asked a person for.
package struct AuthorizationRequest: Sendable {
    /// Joined by commas in the event's order; none where it does not say.
    package var options = Symbol.none
    package var granted: Bool?
    package var error = Symbol.none
    package var statusBefore = Symbol.none
    /// The event's own, a symbol of ``Symbols/values``.
    package var context = Symbol.none

    /// - Parameter data: the event's `data`, as JSON text.
    package init(_ data: UnsafeRawBufferPointer, _ symbols: inout Symbols) {
        if let list = data.member("options")?.unlessNull {
            var options: [String] = []
            var elements = JSONObject(list)
            while let element = elements.nextElement() {
                let option = element.text(in: &symbols.names)
                options.append(symbols.names.string(option))
            }
            self.options = symbols.names.symbol(of: options.joined(separator: ","))
        }
        granted = data.member("granted")?.unlessNull.map { $0.isWord("true") }
        error = data.member("error")?.text(in: &symbols.names) ?? .none
        statusBefore = data.member("status_before")?.text(in: &symbols.names) ?? .none
        if let context = data.member("context") { self.context = symbols.context(context) }
    }
}
