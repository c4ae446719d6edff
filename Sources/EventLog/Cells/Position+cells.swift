/// Positions as clients are given them. Each cell counts its own: with several, the number of the cell is the last part of a position.
extension Position {
    /// One more than the highest number of a cell that a position has room for.
    static let cells: Int64 = 1024

    /// The position of a cell as clients are given it.
    public func given(by cell: Int16, of cells: Cells) -> Position {
        cells.isAlone ? self : given(by: cell)
    }

    /// The position of one of several cells as clients are given it.
    public func given(by cell: Int16) -> Position {
        Position(rawValue: rawValue * Self.cells + Int64(cell))
    }

    /// The number of the cell in a position that several cells give.
    public var cell: Int16 { Int16(rawValue % Self.cells) }

    /// The position in that cell's log.
    public var inCell: Position { Position(rawValue: rawValue / Self.cells) }
}
