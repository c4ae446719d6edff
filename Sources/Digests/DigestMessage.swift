public import Deliveries

/// A digest as it is delivered: the same in every attempt.
public struct DigestMessage: OutgoingMessage, Codable, Equatable {
    /// A figure of the period, beside the one before.
    public struct Figure: Codable, Sendable, Equatable {
        /// The report's column.
        public var name: String
        /// Its unit: `notifications`, `fraction`, `seconds`, ….
        public var unit: String?
        /// The value; nil for unknown.
        public var value: Double?
        /// Its interval, where the report has one.
        public var low: Double?
        /// The upper end of it.
        public var high: Double?
        /// By how much it is more: of a fraction the difference, of anything else the part; nil where they cannot be compared.
        public var change: Double?
        /// The interval of a difference (Newcombe), where both have one.
        public var changeLow: Double?
        /// The upper end of it.
        public var changeHigh: Double?
        /// Whether the value is a difference of two fractions, which people read in points; nil for no.
        public var isDifference: Bool?
    }

    /// A row of the breakdown.
    public struct Row: Codable, Sendable, Equatable {
        /// The values of its key.
        public var key: [String?]
        /// Its figures.
        public var figures: [Figure]
    }

    /// How a figure went.
    public struct Chart: Codable, Sendable, Equatable {
        /// A row over time.
        public struct Line: Codable, Sendable, Equatable {
            /// The values of its key; empty for everything together.
            public var key: [String?]
            /// A value a day or week; nil for unknown.
            public var values: [Double?]
        }

        /// The report's column.
        public var name: String
        /// Its unit.
        public var unit: String?
        /// The first days of the days or weeks.
        public var days: [String]
        /// The lines: one, or those of the first rows.
        public var lines: [Line]
        /// What was noted in these days, oldest first; nil in messages of a release that did not say.
        public var notes: [Note]?

        /// What was noted of the app, such as a release.
        public struct Note: Codable, Sendable, Equatable {
            /// The local day.
            public var day: String
            /// In words.
            public var label: String
        }
    }

    /// Of digests.
    public static let kind = "digest"

    /// That a digest was made.
    public var event: String { "digest.made" }

    /// The app's name.
    public var app: String
    /// The view's name.
    public var view: String
    /// The question in words.
    public var question: String
    /// The number of the subscription; nil for one that is printed.
    public var digest: Int64?
    /// The time zone of days.
    public var tz: String
    /// The first day, `YYYY-MM-DD`.
    public var from: String
    /// The day after the last one.
    public var to: String
    /// The first day of the period before.
    public var before: String
    /// What of both periods is compared, in words; nil for all.
    public var compared: String?
    /// The figures of everything together; empty where the report has none.
    public var figures: [Figure]
    /// The columns of a row's key.
    public var keys: [String]
    /// The first rows.
    public var rows: [Row]
    /// Whether there are others.
    public var hasMore: Bool
    /// How the first figure went; nil where the report is not of intervals.
    public var chart: Chart?
    /// Every event up to this position is in the figures.
    public var position: Int64
    /// When they were read.
    public var at: String
    /// Where the page shows the view.
    public var link: String
}
