extension [String] {
    /// How many fields of one event are named at most, and how many characters of each name.
    private static let most = (names: 32, characters: 128)

    /// Names a field that was dropped. Each is named once, and after the last of those that are, `…` stands for the others: an
    /// answer holds no more than what was sent.
    mutating func warn(_ name: @autoclosure () -> String) {
        guard count <= Self.most.names else { return }
        let name = String(name().prefix(Self.most.characters))
        guard !contains(name) else { return }
        append(count < Self.most.names ? name : "…")
    }
}
