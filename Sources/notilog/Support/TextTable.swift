import Reports

/// A list as a table for people: one row an item, columns as wide as their widest cell. Clients and key holders chose some of the
/// texts, so cells are cleaned for a terminal.
struct TextTable<Item> {
    private let items: [Item]
    private let columns: KeyValuePairs<String, (Item) -> String>

    /// - Parameters:
    ///   - items: the rows.
    ///   - columns: the title of each column, and its text for an item.
    init(_ items: [Item], _ columns: KeyValuePairs<String, (Item) -> String>) {
        self.items = items
        self.columns = columns
    }

    /// The titles and the rows.
    var lines: [String] {
        let all = [columns.map(\.key)] + items.map { item in columns.map { TerminalText.clean($0.value(item)) } }
        let widths = columns.indices.map { column in all.map { TerminalText.width($0[column]) }.max() ?? 0 }
        return all.map { row in TerminalText.line(zip(row, widths).map { TerminalText.padded($0, to: $1) }) }
    }

    /// Prints the table.
    func print() {
        for line in lines { Console.print(line) }
    }
}

extension TextTable where Item: Encodable {
    /// Prints the table, or the items as a JSON array.
    func print(asJSON: Bool) throws {
        if asJSON { try JSONOutput.print(items) } else { print() }
    }
}
