/// Where an event stands in the tie order: by time, then device, then id.
package struct Tie: Hashable, Sendable {
    package var at: Moment
    /// The empty string where the event names no device.
    package var device: Symbol
    package var id: UUIDValue

    package init(at: Moment, device: Symbol, id: UUIDValue) {
        self.at = at
        self.device = device
        self.id = id
    }

    /// - Parameter names: the table that ``device`` is a symbol of.
    package func isBefore(_ other: Tie, _ names: borrowing SymbolTable) -> Bool {
        if at != other.at { return at < other.at }
        if device != other.device { return names.isBefore(device, other.device) }
        return id < other.id
    }
}
