import Synchronization

/// The JSON that a command writes of one cell after the other: one array, in whose objects `cell` is the number.
final class CellDocuments: Sendable {
    /// Where the JSON of a command goes that does its work on several cells.
    @TaskLocal static var current: CellDocuments?

    private struct State {
        var cell: Int16 = 0
        /// Whether JSON was written at all.
        var isAsked = false
        var objects: [String] = []
    }

    private let state = Mutex(State())

    /// What comes from now on is of this cell.
    func begin(_ cell: Int16) {
        state.withLock { $0.cell = cell }
    }

    /// Adds an object, or those of an array.
    func add(_ value: some Encodable) throws {
        let cell = state.withLock { $0.cell }
        let values: [any Encodable] = value as? [any Encodable] ?? [value]
        let objects = try values.map { try JSONOutput.text(OfCell(cell: cell, object: $0)) }
        state.withLock { state in
            state.isAsked = true
            state.objects += objects
        }
    }

    /// Writes them.
    func print() {
        let (isAsked, objects) = state.withLock { ($0.isAsked, $0.objects) }
        guard isAsked else { return }
        let lines = objects.map { "  " + $0.replacing("\n", with: "\n  ") }
        Console.print("[\n" + lines.joined(separator: ",\n") + "\n]")
    }
}

/// An object with the number of its cell beside its own members.
private struct OfCell: Encodable {
    let cell: Int16
    let object: any Encodable

    private enum Key: CodingKey {
        case cell
    }

    func encode(to encoder: any Encoder) throws {
        try object.encode(to: encoder)
        var members = encoder.container(keyedBy: Key.self)
        try members.encode(cell, forKey: .cell)
    }
}
