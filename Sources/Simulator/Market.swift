/// Where people live and what language they read.
struct Market {
    /// BCP 47.
    let locale: String
    let zone: Zone
    /// The share of people, in parts of the sum of all weights.
    let weight: Int

    static let all: [Market] = [
        Market(
            locale: "en-US",
            zone: Zone(identifier: "America/New_York", standardOffset: -300, daylight: .northAmerica),
            weight: 18
        ),
        Market(
            locale: "en-US",
            zone: Zone(identifier: "America/Chicago", standardOffset: -360, daylight: .northAmerica),
            weight: 10
        ),
        Market(
            locale: "en-US",
            zone: Zone(identifier: "America/Los_Angeles", standardOffset: -480, daylight: .northAmerica),
            weight: 14
        ),
        Market(
            locale: "zh-Hans-CN",
            zone: Zone(identifier: "Asia/Shanghai", standardOffset: 480, daylight: .none),
            weight: 14
        ),
        Market(
            locale: "de-DE",
            zone: Zone(identifier: "Europe/Berlin", standardOffset: 60, daylight: .europe),
            weight: 9
        ),
        Market(locale: "ja-JP", zone: Zone(identifier: "Asia/Tokyo", standardOffset: 540, daylight: .none), weight: 8),
        Market(
            locale: "es-MX",
            zone: Zone(identifier: "America/Mexico_City", standardOffset: -360, daylight: .none),
            weight: 7
        ),
        Market(
            locale: "en-GB",
            zone: Zone(identifier: "Europe/London", standardOffset: 0, daylight: .europe),
            weight: 6
        ),
        Market(
            locale: "en-IN",
            zone: Zone(identifier: "Asia/Kolkata", standardOffset: 330, daylight: .none),
            weight: 5
        ),
        Market(
            locale: "fr-FR",
            zone: Zone(identifier: "Europe/Paris", standardOffset: 60, daylight: .europe),
            weight: 4
        ),
        Market(
            locale: "en-AU",
            zone: Zone(identifier: "Australia/Sydney", standardOffset: 600, daylight: .southernAustralia),
            weight: 2
        ),
        Market(
            locale: "en-AU",
            zone: Zone(identifier: "Australia/Adelaide", standardOffset: 570, daylight: .southernAustralia),
            weight: 2
        ),
        Market(
            locale: "ne-NP",
            zone: Zone(identifier: "Asia/Kathmandu", standardOffset: 345, daylight: .none),
            weight: 1
        ),
    ]

    static let weights = all.map(\.weight)
}
