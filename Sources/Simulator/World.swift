/// What is the same for everybody.
struct World {
    let start: Int64
    let end: Int64
    let seed: UInt64
    /// When the new version of the app came to the store: in the middle of the simulated time.
    let released: Int64
    /// What goes wrong from `plantedAt` on, when another version comes out with it.
    let plant: SimulationPlant?
    let plantedAt: Int64

    init(_ parameters: SimulationParameters) {
        start = parameters.start
        end = parameters.end
        seed = parameters.seed
        released = parameters.start + (parameters.end - parameters.start) / 2
        plant = parameters.plant
        plantedAt = parameters.start + (parameters.end - parameters.start) / 4 * 3
    }

    /// The bundle identifier, APNs' topic.
    static let topic = "com.example.daybook"

    /// The part of a day in which a campaign goes out, in microseconds after local midnight.
    func campaignTime(day: Int) -> Int64 {
        let draw = DeterministicGenerator.mix(seed ^ UInt64(bitPattern: Int64(day)))
        return (draw & 1 == 0 ? 11 : 18) * Span.hour
    }
}

/// A campaign, named for the local day on which it is sent.
struct Campaign: Equatable {
    let day: Int
    let variant: String

    /// The texts, which devices are shared out over equally: reports compare by that split unless told another.
    static let variants = ["control", "a", "b"]

    init(day: Int, device: UInt64) {
        self.day = day
        let draw = DeterministicGenerator.mix(device ^ DeterministicGenerator.mix(UInt64(bitPattern: Int64(day))))
        variant = Self.variants[Int(draw % UInt64(Self.variants.count))]
    }

    var identifier: String {
        let date = CivilDate(dayNumber: day)
        return "promo-\(date.year)-\(date.month < 10 ? "0" : "")\(date.month)-\(date.day < 10 ? "0" : "")\(date.day)"
    }
}
