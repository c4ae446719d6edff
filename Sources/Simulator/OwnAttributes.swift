extension Simulation {
    /// The keys of `attributes` that requests carry, for the app to name as its own dimensions: `section`, of news, by which
    /// engagement differs, and `order_type`, of orders, by which it does not.
    public static let ownDimensions = ["section", "order_type"]
}

/// What a piece of news is about: each person is sent what the sender takes them to like.
enum Section: String, CaseIterable {
    case world, sport, culture

    /// That of an edition on a device, not drawn, so that the traffic beside it stays as it is.
    init(day: Int, isEvening: Bool, device: UInt64) {
        let edition = UInt64(bitPattern: Int64(day)) &* 2 &+ (isEvening ? 1 : 0)
        let draw = DeterministicGenerator.mix(device ^ DeterministicGenerator.mix(edition))
        self = Self.allCases[Int(draw % UInt64(Self.allCases.count))]
    }

    /// How much more it is answered than the news as a whole, whose rate stays as it is.
    var appeal: Double {
        switch self {
        case .world: 0.8
        case .sport: 1.5
        case .culture: 0.7
        }
    }
}

extension Push {
    /// What it is about; nil but for news.
    func section(on device: UInt64) -> Section? {
        guard case .news(let day, let isEvening) = self else { return nil }
        return Section(day: day, isEvening: isEvening, device: device)
    }

    /// Writes what the app's own dimensions are made of.
    func writeAttributes(on device: UInt64, to line: inout JSONLine) {
        if let section = section(on: device) {
            line.openObject("attributes")
            line.string("section", section.rawValue)
            line.closeObject()
        }
        if case .order(let number, _) = self {
            line.openObject("attributes")
            let isExpress = DeterministicGenerator.mix(device &* 31 &+ UInt64(number)) % 3 == 0
            line.string("order_type", isExpress ? "express" : "standard")
            line.closeObject()
        }
    }
}
