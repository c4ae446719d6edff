/// Why a report failed.
///
/// A struct over a private code, so that a new kind of error breaks no `switch` of a caller.
public struct ReportError: Error, Sendable, Equatable {
    /// The kind of failure; its description is the stable code in HTTP's problem details.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case unknownReport = "unknown_report"
            case unknownParameter = "unknown_parameter"
            case invalidParameter = "invalid_parameter"
            case unknownApp = "unknown_app"
            case unknownPosition = "unknown_position"
            case behind = "projection_behind"
            case recoveryConflict = "recovery_conflict"
            case silentCell = "cell_unavailable"
            case catalogue
        }
        private let kind: Kind

        private init(_ kind: Kind) { self.kind = kind }

        /// No report has that name.
        public static let unknownReport = Code(.unknownReport)
        /// The report has no such parameter or filter.
        public static let unknownParameter = Code(.unknownParameter)
        /// A parameter's value is not accepted.
        public static let invalidParameter = Code(.invalidParameter)
        /// No app has that name.
        public static let unknownApp = Code(.unknownApp)
        /// `min_position` is a position that the log has not assigned yet.
        public static let unknownPosition = Code(.unknownPosition)
        /// The report's projections did not pass `min_position` in time; see ``ReportError/lagSeconds``.
        public static let behind = Code(.behind)
        /// The standby cancelled the report twice, because it kept the standby from replaying.
        public static let recoveryConflict = Code(.recoveryConflict)
        /// A cell of the cluster does not answer.
        public static let silentCell = Code(.silentCell)
        /// The header of a report's file is invalid.
        public static let catalogue = Code(.catalogue)

        /// The code's name.
        public var description: String { kind.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong and which values are accepted, in one sentence.
    public var message: String
    /// The parameter at fault.
    public var parameter: String?
    /// The accepted names or values, if they can be listed.
    public var accepted: [String]
    /// With ``Code/behind``: the age of the oldest event not applied, in seconds.
    public var lagSeconds: Double?

    init(
        _ code: Code,
        _ message: String,
        parameter: String? = nil,
        accepted: [String] = [],
        lagSeconds: Double? = nil
    ) {
        self.code = code
        self.message = message
        self.parameter = parameter
        self.accepted = accepted
        self.lagSeconds = lagSeconds
    }

    static func unknown(_ code: Code, _ what: String, _ name: String, accepted: [String]) -> ReportError {
        ReportError(
            code,
            "there is no \(what) \"\(name.shortened)\"; accepted: \(accepted.joined(separator: ", "))",
            parameter: code == .unknownParameter ? name.shortened : nil,
            accepted: accepted
        )
    }

    static func invalid(_ parameter: String, _ value: String, accepts: String, accepted: [String] = []) -> ReportError {
        ReportError(
            .invalidParameter,
            "\(parameter) is \"\(value.shortened)\"; accepted: \(accepts)",
            parameter: parameter,
            accepted: accepted
        )
    }
}

extension ReportError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension String {
    /// The part of a sender's text that a message may contain.
    var shortened: String { count > 100 ? prefix(100) + "…" : self }
}
