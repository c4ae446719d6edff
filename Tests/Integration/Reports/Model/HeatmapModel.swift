import Foundation
import Reports

/// `heatmap`, one notification at a time, by Foundation's calendar.
struct HeatmapModel {
    let query: ModelQuery

    private struct Cell: Hashable { let weekday, hour: Int? }

    private func cell(of notification: LawNotification) -> Cell {
        let name =
            query.others["clock"] == "tz" ? query.others["tz"] ?? "UTC" : notification.context?["time_zone"]?.string
        guard let name, let zone = TimeZone(identifier: name) else { return Cell(weekday: nil, hour: nil) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let date = Date(timeIntervalSince1970: Double(notification.cohortAt ?? 0) / 1e6)
        let parts = calendar.dateComponents([.weekday, .hour], from: date)
        // Foundation's weeks begin on Sunday, 1.
        return Cell(weekday: parts.weekday.map { ($0 + 5) % 7 + 1 }, hour: parts.hour)
    }

    func rows(_ notifications: [LawNotification]) -> [ModelRow] {
        let reached = Dictionary(grouping: notifications.filter { query.takes($0) && $0.reached }, by: cell)
        var cells: [Cell] = []
        for weekday in 1...7 { cells += (0...23).map { Cell(weekday: weekday, hour: $0) } }
        if reached[Cell(weekday: nil, hour: nil)] != nil { cells.append(Cell(weekday: nil, hour: nil)) }
        return cells.map { cell in
            let members = reached[cell] ?? []
            let engaged = members.count(where: query.isEngaged)
            let interval = ModelStatistics.wilson(engaged, members.count)
            return [
                "weekday": cell.weekday.map(ReportValue.whole) ?? .null,
                "hour": cell.hour.map(ReportValue.whole) ?? .null,
                "reached": .whole(members.count), "responded": .whole(members.count(where: \.responded)),
                "responded_in_window": .whole(engaged),
                "engagement_rate": .real(ModelStatistics.ratio(engaged, members.count)),
                "engagement_rate_low": .real(interval.low), "engagement_rate_high": .real(interval.high),
                "immature": .whole(members.count(where: query.isImmature)),
            ]
        }
    }
}
