public import Foundation

extension Notilog {
    /// What makes a request fire: the fields of `UNNotificationTrigger` and its subclasses, without coordinates.
    public struct Trigger: Sendable, Hashable {
        /// The kind of a trigger.
        public enum Kind: String, Sendable {
            /// `UNPushNotificationTrigger`.
            case push
            /// `UNTimeIntervalNotificationTrigger`.
            case timeInterval = "time_interval"
            /// `UNCalendarNotificationTrigger`.
            case calendar
            /// `UNLocationNotificationTrigger`.
            case location
            /// No trigger: the request fires at once.
            case immediate = "none"
        }

        /// The kind; `nil` if it is not known.
        public var kind: Kind?
        /// Whether it fires repeatedly (`repeats`).
        public var repeats: Bool
        /// The seconds of a time interval trigger.
        public var interval: TimeInterval?
        /// The components that must match, for a calendar trigger.
        public var components: DateComponents?
        /// Whether entering the region fires a location trigger.
        public var onEntry: Bool?
        /// Whether leaving the region fires a location trigger.
        public var onExit: Bool?
        /// When it fires next (`nextTriggerDate()`).
        public var nextDate: Date?

        /// Creates a trigger.
        public init(
            _ kind: Kind?,
            repeats: Bool = false,
            interval: TimeInterval? = nil,
            components: DateComponents? = nil,
            onEntry: Bool? = nil,
            onExit: Bool? = nil,
            nextDate: Date? = nil
        ) {
            self.kind = kind
            self.repeats = repeats
            self.interval = interval
            self.components = components
            self.onEntry = onEntry
            self.onExit = onExit
            self.nextDate = nextDate
        }

        var value: Value? {
            guard let kind else { return nil }
            var fields: [String: Value] = ["type": .string(kind.rawValue)]
            if kind != .push, kind != .immediate { fields["repeats"] = .bool(repeats) }
            if let interval { fields["interval_seconds"] = .number(interval) }
            if let components { fields["date_components"] = Self.value(components) }
            switch (onEntry, onExit) {
            case (true, true): fields["region_event"] = "both"
            case (true, _): fields["region_event"] = "enter"
            case (_, true): fields["region_event"] = "exit"
            default: break
            }
            return .object(fields)
        }

        private static func value(_ components: DateComponents) -> Value {
            var fields: [String: Value] = [:]
            for (name, number) in [
                ("era", components.era), ("year", components.year), ("month", components.month),
                ("day", components.day),
                ("hour", components.hour), ("minute", components.minute), ("second", components.second),
                ("nanosecond", components.nanosecond), ("weekday", components.weekday),
                ("weekday_ordinal", components.weekdayOrdinal), ("quarter", components.quarter),
                ("week_of_month", components.weekOfMonth), ("week_of_year", components.weekOfYear),
                ("year_for_week_of_year", components.yearForWeekOfYear),
            ] {
                // Foundation says "not set" with the largest integer in some places.
                if let number, number != Int.max { fields[name] = .integer(Int64(number)) }
            }
            if let zone = components.timeZone { fields["time_zone"] = .string(zone.identifier) }
            if let calendar = components.calendar {
                fields["calendar"] = .string((calendar as NSCalendar).calendarIdentifier.rawValue)
            }
            return .object(fields)
        }
    }
}
