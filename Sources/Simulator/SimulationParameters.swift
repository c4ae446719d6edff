/// What a simulation is a function of: equal parameters give equal bytes, on every machine.
public struct SimulationParameters: Hashable, Sendable {
    /// People with one device each. A reinstall makes a second `device_id` of the same person.
    public var devices: Int
    /// Length in days of 24 h, counted back from `end`.
    public var days: Int
    /// The moment before which everything is sent: microseconds since 1970-01-01T00:00:00Z.
    public var end: Int64
    /// Chooses the people and everything that happens to them.
    public var seed: UInt64
    /// What goes wrong in the last quarter of the time; nil for nothing.
    public var plant: SimulationPlant?

    /// Negative counts are taken as 0.
    public init(devices: Int, days: Int, end: Int64, seed: UInt64, plant: SimulationPlant? = nil) {
        self.devices = max(0, devices)
        self.days = max(0, days)
        self.end = end
        self.seed = seed
        self.plant = plant
    }

    /// The moment from which events are sent: microseconds since 1970-01-01T00:00:00Z.
    public var start: Int64 { end - Int64(days) * Span.day }
}

/// What a report has to tell apart: a version of the app comes out as the last quarter of the simulated time begins, and
/// engagement seems to fall with it. In such a simulation the app tells its settings whenever it comes to the foreground,
/// and nobody changes them or uninstalls it.
public enum SimulationPlant: String, Hashable, Sendable, CaseIterable {
    /// The version has no service extension any more: its deliveries are not heard of.
    case lostExtension = "lost-extension"
    /// People have had enough, whatever version they have.
    case fatigue
}
