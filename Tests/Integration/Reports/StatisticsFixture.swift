import Foundation

/// Samples, and what scipy, statsmodels and lifelines say of them: `Fixtures/statistics/statistics.py` wrote it down.
struct StatisticsFixture: Decodable {
    struct Incidence: Decodable {
        struct Follow: Decodable {
            let time: Int64
            let outcome: String?

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                time = try values.decode(Int64.self)
                outcome = try values.decode(String?.self)
            }
        }
        struct Point: Decodable {
            let outcome: String
            let until: Double
            let values: [Double?]

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                outcome = try list.decode(String.self)
                until = try list.decode(Double.self)
                values = try (0..<3).map { _ in try list.decode(Double?.self) }
            }
        }
        let sample: [Follow]
        let incidence: [Point]
    }
    struct Experiment: Decodable {
        struct Unit: Decodable {
            let device: String
            let variant: String
            let notifications: Int
            let engaged: Int

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                device = try values.decode(String.self)
                variant = try values.decode(String.self)
                notifications = try values.decode(Int.self)
                engaged = try values.decode(Int.self)
            }
        }
        struct Row: Decodable {
            let devices: Int64
            let rate: Double
            let rateLow: Double
            let difference: Double?
            let error: Double?
            let pValue: Double?
            let pHolm: Double?
        }
        let units: [Unit]
        let split: [String: Int]
        let rows: [String: Row]
        let sampleRatioP: Double
    }
    let chiSquareTail: [[Double]]
    let wilson: [[Double]]
    let differences: [[Double?]]
    let outcomes: [[Double?]]
    let changes: [[Double?]]
    let campaigns: [Double?]
    let incidence: Incidence
    let experiments: [Experiment]
    let crossed: Experiment

    static func read() throws -> StatisticsFixture {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Fixtures/statistics/statistics.json"))
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(StatisticsFixture.self, from: data)
    }
}

/// Whether what a report says is what a fixture says, but for a rounding; both may be unknown.
func areNear(_ found: Double?, _ expected: Double?, _ tolerance: Double = 1e-7) -> Bool {
    guard let found, let expected else { return found == nil && expected == nil }
    return abs(found - expected) <= 1e-9 + tolerance * abs(expected)
}
