import NotificationEvents
import Reports

/// `outcomes`: device by device, conversion by conversion.
struct OutcomesModel {
    let model: ReportModel
    let question: ModelQuestion

    private var by: String { question.by.first ?? "campaign" }
    private var window: Int64 { question.window.microseconds }

    /// A conversion, or an open of the app.
    private struct Happened {
        let device: String
        let what: What
        let at: Int64
        let id: EventID
        var value: Int64?
        var currency: String?
        /// An open that a response made.
        var isOfResponse = false
    }

    private struct What: Hashable {
        let name: String
        /// The currency, where each has a row of its own.
        let unit: String
    }

    private struct Assignment {
        let name: String
        let device: String
        let at: Int64
        /// When the sender said so: of two for the same moment, the first counts.
        let toldAt: Int64
        let isHeld: Bool
    }

    private func passes(_ campaign: String?, _ category: String?) -> Bool {
        model.passes(
            ["campaign": campaign ?? "", "category": category ?? ""],
            question.only(["campaign", "category"])
        )
    }

    private var inRange: [ReportModel.Counted] {
        model.notifications.filter {
            question.covers($0.cohort) && passes($0.one.campaign, $0.one.category)
        }
    }

    private var touches: [String: [ReportModel.Counted]] {
        Dictionary(
            grouping: inRange.filter { $0.isReached && !$0.one.responseOnly && $0.dimensions[by] != "" },
            by: { $0.dimensions[by] ?? "" }
        )
    }

    /// Each event that counts, each order once, whenever it was.
    private var allHappened: [Happened] {
        var orders: Set<[String]> = []
        return model.law.events.compactMap { event -> Happened? in
            guard !event.device.isEmpty else { return nil }
            switch event.kind {
            case "conversion":
                let name = event["name"]?.string ?? ""
                if let order = event["order_id"]?.string {
                    guard orders.insert([event.device, name, order]).inserted else { return nil }
                }
                let currency = event["currency"]?.string
                let unit = question.currencies == "apart" ? currency ?? "" : ""
                var happened = Happened(
                    device: event.device,
                    what: What(name: name, unit: unit),
                    at: event.at,
                    id: event.id
                )
                (happened.value, happened.currency) = (event["value"]?.integer, currency)
                return happened
            case "app_open":
                let what = What(name: "app_open", unit: "")
                var happened = Happened(device: event.device, what: what, at: event.at, id: event.id)
                happened.isOfResponse = model.notifications.contains { one in
                    one.one.device == event.device
                        && responses(to: one.one).contains { $0.opens && abs($0.at - event.at) <= 10_000_000 }
                }
                return happened
            default: return nil
            }
        }
    }

    func rows() -> [ReportModel.Record] {
        let all = allHappened
        let answered = touches.values.joined().filter { $0.one.responded }
        let near = all.filter { one in
            let isAround = one.at >= question.from - window && one.at < question.until + 2 * window
            let isAfter = answered.contains { touch in
                touch.one.device == one.device
                    && responses(to: touch.one).contains { ($0.at - 10_000_000..<$0.at + window).contains(one.at) }
            }
            return (isAround || isAfter) && one.at <= question.asOf
                && model.passes(["conversion": one.what.name], question.only(["conversion"]))
        }
        var began: [String: Int64] = [:]
        for one in all { began[one.what.name] = min(began[one.what.name] ?? .max, one.at) }
        let touches = touches
        let assignments = by == "campaign" ? assignments : []
        let names = Set(touches.keys).union(assignments.map(\.name))
        let whats = Set(near.map(\.what))
        let credits = Dictionary(
            uniqueKeysWithValues: whats.map { what in
                let conversions = near.filter { $0.what == what }
                return (what, touches.mapValues { credited(conversions, by: $0) })
            }
        )
        var rows: [(key: [String], devices: Int, record: ReportModel.Record)] = []
        for name in names {
            for what in whats {
                let conversions = near.filter { $0.what == what }
                let touched = touches[name] ?? []
                var record = reach(touched, credits[what]?[name] ?? [])
                record.merge(shared(name, credits[what] ?? [:])) { $1 }
                record.merge(baseline(touched, conversions, began: began[what.name] ?? .max)) { $1 }
                record.merge(lift(assignments.filter { $0.name == name }, conversions, name)) { $1 }
                for column in ["campaign", "category", "variant"] {
                    record[column] = column == by ? .text(name) : .null
                }
                record["conversion"] = .text(what.name)
                record["currency"] = .name(what.unit)
                record["other"] = .bool(false)
                rows.append(([name, what.name, what.unit], Set(touched.map(\.one.device)).count, record))
            }
        }
        let kept = KeptKeys(rows.map { ($0.key, $0.devices) }, limit: question.limit)
        let others = rows.filter { kept.own($0.key) == nil }
        guard let example = others.first else { return rows.map(\.record) }
        var other = example.record.mapValues { _ in ReportValue.null }
        other["other"] = .bool(true)
        for column in ["conversions", "last_touch"] {
            other[column] = .integer(others.map { $0.record.integer(column) }.reduce(0, +))
        }
        return rows.filter { kept.own($0.key) != nil }.map(\.record) + [other]
    }

    /// A conversion that came after a notification.
    private struct Credit {
        let conversion: Happened
        let isDirect: Bool
        /// The latest response or notification that it came after.
        let touchedAt: Int64
    }

    private func credited(_ conversions: [Happened], by touches: [ReportModel.Counted]) -> [Credit] {
        conversions.compactMap { conversion in
            let before = touches.filter { $0.one.device == conversion.device }
            let responses = before.flatMap { self.responses(to: $0.one) }.filter { isWithin($0, conversion) }.map(\.at)
            let reached = before.filter { touch in
                !touch.one.responded && !conversion.isOfResponse
                    && (touch.cohort..<touch.cohort + window).contains(conversion.at)
            }.map(\.cohort)
            guard let touchedAt = (responses + reached).max() else { return nil }
            return Credit(conversion: conversion, isDirect: !responses.isEmpty, touchedAt: touchedAt)
        }
    }

    /// A response to a notification: each distinct action is one.
    private struct Response {
        let at: Int64
        /// It brings the app to the foreground; of those after the first, the tap alone is known to.
        let opens: Bool
    }

    private func responses(to one: LawNotification) -> [Response] {
        one.actions.map { action in
            let opens = action.id == "default" || action.id == one.action && one.appOpened
            return Response(at: action.callbacks.first?.at ?? 0, opens: opens)
        }
    }

    private func isWithin(_ response: Response, _ conversion: Happened) -> Bool {
        let early = conversion.isOfResponse && response.opens ? 10_000_000 : 0 as Int64
        return (response.at - early..<response.at + window).contains(conversion.at)
    }

    private func reach(_ touches: [ReportModel.Counted], _ credits: [Credit]) -> ReportModel.Record {
        let devices = Set(touches.map(\.one.device)).count
        let direct = Set(credits.filter(\.isDirect).map(\.conversion.device))
        let influenced = Set(credits.map(\.conversion.device)).subtracting(direct).count
        let currencies = Set(credits.compactMap(\.conversion.currency))
        let value = credits.compactMap(\.conversion.value).reduce(0, +)
        return [
            // The bound is beyond what a model's world can have: OutcomesTests.
            "devices": .count(devices), "devices_excess": .count(0), "direct": .count(direct.count),
            "influenced": .count(influenced),
            "direct_rate": .rate(direct.count, devices),
            "direct_rate_low": .wilson(direct.count, devices, isLow: true),
            "direct_rate_high": .wilson(direct.count, devices, isLow: false),
            "influenced_rate": .rate(influenced, devices),
            "influenced_rate_low": .wilson(influenced, devices, isLow: true),
            "influenced_rate_high": .wilson(influenced, devices, isLow: false),
            "conversions": .count(credits.count), "value": currencies.count == 1 ? .integer(value) : .null,
        ]
    }

    private func shared(_ name: String, _ credits: [String: [Credit]]) -> ReportModel.Record {
        var (shared, last) = (0, 0)
        for credit in credits[name] ?? [] {
            let rivals = credits.flatMap { other, credits in
                credits.filter {
                    $0.conversion.device == credit.conversion.device && $0.conversion.id == credit.conversion.id
                }
                .map { (name: other, touchedAt: $0.touchedAt) }
            }
            if rivals.count > 1 { shared += 1 }
            let newest = rivals.map(\.touchedAt).max()
            if rivals.filter({ $0.touchedAt == newest }).map(\.name).min() == name { last += 1 }
        }
        guard question.only(["campaign", "category"]).filters.isEmpty else {
            return ["conversions_shared": .null, "last_touch": .null]  // nothing is known of those that it leaves out
        }
        return ["conversions_shared": .count(shared), "last_touch": .count(last)]
    }

    private func baseline(_ touches: [ReportModel.Counted], _ conversions: [Happened], began: Int64)
        -> ReportModel.Record
    {
        let firsts = Dictionary(touches.map { ($0.one.device, $0.cohort) }, uniquingKeysWith: min)
        func rate(_ stretch: (Int64) -> Range<Int64>?) -> (devices: Int, converted: Int) {
            let stretches = firsts.compactMapValues { first in
                stretch(first).flatMap { $0.lowerBound >= began ? $0 : nil }
            }
            let converted = stretches.filter { device, stretch in
                conversions.contains { $0.device == device && stretch.contains($0.at) }
            }
            return (stretches.count, converted.count)
        }
        let before = rate { $0 - window..<$0 }
        let after = rate { $0 + 2 * window <= question.asOf ? $0 + window..<$0 + 2 * window : nil }
        return [
            "baseline_before_devices": .count(before.devices),
            "baseline_before_converted": .count(before.converted),
            "baseline_before_rate": .rate(before.converted, before.devices),
            "baseline_before_rate_low": .wilson(before.converted, before.devices, isLow: true),
            "baseline_before_rate_high": .wilson(before.converted, before.devices, isLow: false),
            "baseline_after_devices": .count(after.devices),
            "baseline_after_converted": .count(after.converted),
            "baseline_after_rate": .rate(after.converted, after.devices),
            "baseline_after_rate_low": .wilson(after.converted, after.devices, isLow: true),
            "baseline_after_rate_high": .wilson(after.converted, after.devices, isLow: false),
        ]
    }

    private var holdouts: [(event: LawEvent, at: Int64)] {
        model.law.events.filter { $0.kind == "holdout" && !$0.device.isEmpty }
            .map { ($0, $0.time("scheduled_for") ?? $0.at) }
            .filter {
                question.covers($0.1) && passes($0.0["campaign_id"]?.string, $0.0["category_id"]?.string)
            }
    }

    private var assignments: [Assignment] {
        inRange.filter { $0.one.campaign != nil && !$0.one.requests.isEmpty }.map {
            Assignment(
                name: $0.one.campaign ?? "",
                device: $0.one.device,
                at: $0.cohort,
                toldAt: $0.one.requestedAt ?? $0.cohort,
                isHeld: false
            )
        }
            + holdouts.map {
                let name = $0.event["campaign_id"]?.string ?? ""
                return Assignment(
                    name: name,
                    device: $0.event.device,
                    at: $0.at,
                    toldAt: $0.event.at,
                    isHeld: true
                )
            }
    }

    /// Devices of one arm, and of them those that converted.
    private struct Arm {
        var devices = 0
        var converted = 0
    }

    private func lift(_ assignments: [Assignment], _ conversions: [Happened], _ name: String) -> ReportModel.Record {
        guard by == "campaign" else {
            return [
                "sent_devices": .null, "held_out_devices": .null, "sent_converted": .null, "held_out_converted": .null,
                "crossed": .null, "held_out_assigned": .null, "reachable_devices": .null, "unreachable_devices": .null,
                "sample_ratio_p": .null,
                "sent_rate": .null, "sent_rate_low": .null, "sent_rate_high": .null, "held_out_rate": .null,
                "held_out_rate_low": .null, "held_out_rate_high": .null, "lift_p": .null,
            ].merging(difference("", Arm(), Arm())) { $1 }.merging(difference("reachable_", Arm(), Arm())) { $1 }
                .merging(difference("unreachable_", Arm(), Arm())) { $1 }
        }
        let byDevice = Dictionary(grouping: assignments, by: \.device)
        let first = byDevice.compactMapValues {
            $0.min { ($0.at, $0.toldAt, $0.isHeld ? 1 : 0) < ($1.at, $1.toldAt, $1.isHeld ? 1 : 0) }
        }
        var arms: [Bool?: [Bool: Arm]] = [:]
        var all: [Bool: Arm] = [:]
        for (device, one) in first where one.at + window <= question.asOf {
            let hasConverted = conversions.contains {
                $0.device == device && (one.at..<one.at + window).contains($0.at)
            }
            let status = model.law.devices.settings[device]?.last { $0.at <= one.at }?.value["authorization_status"]?
                .string
            let isOn = status.map { ["authorized", "provisional", "ephemeral"].contains($0) }
            for add in [{ (arm: inout Arm) in arm.devices += 1 }, { if hasConverted { $0.converted += 1 } }] {
                add(&all[one.isHeld, default: Arm()])
                add(&arms[isOn, default: [:]][one.isHeld, default: Arm()])
            }
        }
        func arm(_ isHeld: Bool, _ isOn: Bool) -> Arm { arms[isOn]?[isHeld] ?? Arm() }
        let (sent, held) = (all[false] ?? Arm(), all[true] ?? Arm())
        let pooled = ReportValue.number(Self.pooled(sent, held))
        let record: ReportModel.Record = [
            "sent_devices": .count(sent.devices), "held_out_devices": .count(held.devices),
            "sent_converted": .count(sent.converted), "held_out_converted": .count(held.converted),
            "sent_rate": .rate(sent.converted, sent.devices),
            "sent_rate_low": .wilson(sent.converted, sent.devices, isLow: true),
            "sent_rate_high": .wilson(sent.converted, sent.devices, isLow: false),
            "held_out_rate": .rate(held.converted, held.devices),
            "held_out_rate_low": .wilson(held.converted, held.devices, isLow: true),
            "held_out_rate_high": .wilson(held.converted, held.devices, isLow: false),
            "lift_p": pooled, "sample_ratio_p": .number(ratio(name, first)),
            "crossed": .count(byDevice.values.count { Set($0.map(\.isHeld)).count > 1 }),
            "held_out_assigned": .count(first.values.count(where: \.isHeld)),
            "reachable_devices": .count(arm(false, true).devices + arm(true, true).devices),
            "unreachable_devices": .count(arm(false, false).devices + arm(true, false).devices),
        ]
        return record.merging(difference("", sent, held)) { $1 }
            .merging(difference("reachable_", arm(false, true), arm(true, true))) { $1 }
            .merging(difference("unreachable_", arm(false, false), arm(true, false))) { $1 }
    }

    private func ratio(_ name: String, _ first: [String: Assignment]) -> Double? {
        let shares = Set(
            holdouts.filter { $0.event["campaign_id"]?.string == name }.compactMap { $0.event["share"]?.text }
        )
        guard shares.count == 1, let share = shares.first.flatMap(Double.init), share > 0, share < 1 else { return nil }
        let (all, held) = (Double(first.count), Double(first.values.count { $0.isHeld }))
        let off = held - all * share
        let distance = off * off / (all * share) + off * off / (all * (1 - share))
        return ModelStatistics.chiSquareTail(distance, degrees: 1)
    }

    private static func pooled(_ sent: Arm, _ held: Arm) -> Double? {
        guard let one = ModelStatistics.ratio(sent.converted, sent.devices),
            let other = ModelStatistics.ratio(held.converted, held.devices),
            let both = ModelStatistics.ratio(sent.converted + held.converted, sent.devices + held.devices),
            both > 0, both < 1
        else { return nil }
        let variance = both * (1 - both) * (1 / Double(sent.devices) + 1 / Double(held.devices))
        return ModelStatistics.pValue((one - other) / variance.squareRoot())
    }

    /// Newcombe's interval (1998, method 10).
    private func difference(_ prefix: String, _ sent: Arm, _ held: Arm) -> ReportModel.Record {
        let names = ["lift", "lift_low", "lift_high"].map { prefix + $0 }
        guard let one = ModelStatistics.ratio(sent.converted, sent.devices),
            let other = ModelStatistics.ratio(held.converted, held.devices),
            case (let low?, let high?) = ModelStatistics.wilson(sent.converted, sent.devices),
            case (let otherLow?, let otherHigh?) = ModelStatistics.wilson(held.converted, held.devices)
        else { return Dictionary(uniqueKeysWithValues: names.map { ($0, .null) }) }
        let down = ((one - low) * (one - low) + (otherHigh - other) * (otherHigh - other)).squareRoot()
        let up = ((high - one) * (high - one) + (other - otherLow) * (other - otherLow)).squareRoot()
        return [
            names[0]: .double(one - other), names[1]: .double(one - other - down), names[2]: .double(one - other + up),
        ]
    }
}

extension ReportModel.Record {
    fileprivate func integer(_ column: String) -> Int64 {
        if case .integer(let value)? = self[column] { value } else { 0 }
    }
}
