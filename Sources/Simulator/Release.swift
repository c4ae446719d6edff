/// A version of the app, and what it can do.
enum Release: Int, Comparable {
    /// Two years old, for devices that cannot have a newer one: no ids on events, raw integers for enumerations, no
    /// service extension, no sweep of the delivered list.
    case old
    /// What most people have at the beginning.
    case current
    /// Comes out in the middle, with other buttons in two categories.
    case new
    /// Comes out after it, where something is planted: the same, but for that.
    case planted

    static func < (left: Release, right: Release) -> Bool { left.rawValue < right.rawValue }

    var version: String {
        switch self {
        case .old: "3.9.4"
        case .current: "5.1.0"
        case .new: "5.2.0"
        case .planted: "5.3.0"
        }
    }

    var sdkVersion: String {
        switch self {
        case .old: "0.8.1"
        case .current: "1.0.3"
        case .new: "1.1.0"
        case .planted: "1.2.0"
        }
    }

    func hasServiceExtension(where plant: SimulationPlant?) -> Bool {
        self > .old && !(self == .planted && plant == .lostExtension)
    }
    var givesIdentifiers: Bool { self > .old }
    var sweepsDeliveredList: Bool { self > .old }
    var recordsOutcomes: Bool { self > .old }
    var tellsStatusBefore: Bool { self > .current }
    var sendsRawIntegers: Bool { self == .old }
}
