/// The fields of an item that were dropped, for its sender.
struct Warnings {
    /// How many fields of one event are named at most, and how many characters of each name.
    private static let most = (names: 32, characters: 128)

    private(set) var names: [String] = []

    /// Names a field that was dropped. Each is named once, and after the last of those that are, `…` stands for the others: an
    /// answer holds no more than what was sent.
    mutating func warn(_ name: @autoclosure () -> String) {
        guard names.count <= Self.most.names else { return }
        let name = String(name().prefix(Self.most.characters))
        guard !names.contains(name) else { return }
        names.append(names.count < Self.most.names ? name : "…")
    }
}
