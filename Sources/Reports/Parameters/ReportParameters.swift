public import EventLog
internal import NotificationEvents
internal import Schema

/// A report's parameters, checked against its definition.
public struct ReportParameters: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case text(String)
        case list([String])
        case time(ReportTime)
        case duration(microseconds: Int64, text: String)
        case whole(Int32)
        case flag(Bool)
    }

    /// The report.
    public let definition: ReportDefinition
    /// The requested format, if any.
    public let format: ReportFormat?
    /// The position of the log that the answer must include.
    public let minPositions: [Position]
    /// The dimensions of `by`, in order; empty if the report has no such parameter or it is `none`.
    public let dimensions: [String]
    /// The given values, by name.
    private(set) var values: [String: Value]
    /// The accepted values of each filter, null for none.
    let filters: [String: [String?]]

    /// Reads parameters as HTTP query items or a command's options give them, in any order.
    ///
    /// A filter may be repeated, which accepts any of its values; an empty value means null. Dimensions may be joined by a
    /// comma or repeated. A parameter that is absent has its default.
    ///
    /// - Parameters:
    ///   - pairs: names and values, decoded.
    ///   - definition: the report.
    /// - Throws: ``ReportError`` with code `unknownParameter` or `invalidParameter`, which lists accepted values. Time zones,
    ///   and the order and bounds of times and durations, are checked when the report runs.
    public init(_ pairs: [(name: String, value: String)], for definition: ReportDefinition) throws(ReportError) {
        var values: [String: Value] = [:]
        var filters: [String: [String?]] = [:]
        var format: ReportFormat?
        var minPositions: [Position] = []
        var seen: Set<String> = []
        for (name, value) in Self.joined(pairs, definition) {
            guard !value.utf8.contains(0), !name.utf8.contains(0) else {
                throw ReportError(
                    .invalidParameter,
                    "a parameter contains the character U+0000, which is never accepted"
                )
            }
            if definition.isFilter(name) {
                filters[name, default: []].append(value.isEmpty ? nil : value)
                continue
            }
            guard seen.insert(name).inserted else {
                throw ReportError(
                    .invalidParameter,
                    "\(name) is given twice; only filters and by can be repeated",
                    parameter: name
                )
            }
            if let parameter = definition.parameter(name) {
                values[name] = try Self.read(value, as: parameter)
            } else if name == "format" {
                format = try Self.format(value)
            } else if name == "min_position" {
                minPositions = try Self.minPositions(value)
            } else if definition.unusedNames.contains(name) {
                try Self.checkUnused(name, value)
            } else {
                throw .unknown(.unknownParameter, "parameter", name, accepted: definition.acceptedNames)
            }
        }
        self.definition = definition
        self.format = format
        self.minPositions = minPositions
        self.values = values
        self.filters = filters
        dimensions = Self.dimensions(values, definition)
    }

    /// Parses a `min_position`: a position, or several of a cluster with commas between them.
    ///
    /// - Throws: ``ReportError`` with the accepted values.
    public static func minPositions(_ text: String) throws(ReportError) -> [Position] {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count <= 64, numbers.allSatisfy({ ($0 ?? -1) >= 0 }) else {
            throw .invalid("min_position", text, accepts: "a position of the log, as in the answer to POST /v1/events")
        }
        return numbers.compactMap { $0.map(Position.init(rawValue:)) }
    }

    /// The pairs, with repeated dimensions joined: many clients write lists so.
    private static func joined(
        _ pairs: [(name: String, value: String)],
        _ definition: ReportDefinition
    ) -> [(name: String, value: String)] {
        guard let by = definition.parameters.first(where: { $0.kind == .dimensions })?.name else { return pairs }
        let dimensions = pairs.filter { $0.name == by }.map(\.value)
        guard dimensions.count > 1 else { return pairs }
        return pairs.filter { $0.name != by } + [(by, dimensions.joined(separator: ","))]
    }

    /// In bytes.
    private static let longestText = 1000

    private static func dimensions(_ values: [String: Value], _ definition: ReportDefinition) -> [String] {
        guard let by = definition.parameters.first(where: { $0.kind == .dimensions }) else { return [] }
        let names = if case .list(let given)? = values[by.name] { given } else { by.defaultText.names }
        return names == ["none"] ? [] : names
    }

    private static func format(_ value: String) throws(ReportError) -> ReportFormat {
        guard let format = ReportFormat(rawValue: value) else {
            let accepted = ReportFormat.allCases.map(\.rawValue)
            throw .invalid("format", value, accepts: accepted.joined(separator: ", "), accepted: accepted)
        }
        return format
    }

    private static func checkUnused(_ name: String, _ value: String) throws(ReportError) {
        let isRead = name == "window" ? ISODuration.microseconds(value) != nil : Bool(value) != nil
        guard !isRead else { return }
        throw .invalid(name, value, accepts: name == "window" ? "an ISO 8601 duration, such as P3D" : "true, false")
    }

    private static func read(_ value: String, as parameter: ReportParameterDefinition) throws(ReportError) -> Value {
        let refusal = ReportError.invalid(
            parameter.name,
            value,
            accepts: parameter.acceptedText,
            accepted: parameter.accepted
        )
        switch parameter.kind {
        case .dimensions:
            let names = value.names
            guard (1...2).contains(names.count), Set(names).count == names.count,
                names == ["none"]
                    || names.allSatisfy({ $0 != "none" && parameter.accepted.accepts(dimension: $0) })
            else { throw refusal }
            return .list(names)
        case .choice:
            guard parameter.accepted.contains(value) else { throw refusal }
            return .text(value)
        case .time:
            guard let time = ReportTime(value, takesDays: parameter.name == "from") else { throw refusal }
            return .time(time)
        case .zone:
            guard !value.isEmpty, value.utf8.count <= 64 else { throw refusal }
            return .text(value)
        case .text:
            guard !value.isEmpty, value.utf8.count <= longestText else { throw refusal }
            return .text(value)
        case .duration:
            guard let microseconds = ISODuration.microseconds(value) else { throw refusal }
            return .duration(microseconds: microseconds, text: value)
        case .whole:
            guard let number = Int32(value), parameter.bounds?.contains(number) == true else { throw refusal }
            return .whole(number)
        case .flag:
            guard let isSet = Bool(value) else { throw refusal }
            return .flag(isSet)
        }
    }

    /// A parameter of kind whole, or its default.
    func whole(_ name: String) -> Int32? {
        if case .whole(let number)? = values[name] { return number }
        return definition.parameter(name).flatMap { Int32($0.defaultText) }
    }

    /// A parameter of kind flag, or its default; false where the report has none of that name.
    func flag(_ name: String) -> Bool {
        if case .flag(let isSet)? = values[name] { return isSet }
        return definition.parameter(name)?.defaultText == "true"
    }

    /// A given parameter of kind time; nil for its default.
    func time(_ name: String) -> String? {
        if case .time(let time)? = values[name] { return time.text }
        return nil
    }

    /// A parameter of kind choice, zone or text, or its default.
    func text(_ name: String) -> String? {
        if case .text(let text)? = values[name] { return text }
        return definition.parameter(name)?.defaultText
    }
}

extension ReportParameters {
    /// The same of a day of long ago, and the day before as the time to ask of it: then there is nothing to tell.
    var ofNothing: (parameters: ReportParameters, asOf: Int64) {
        let (asOf, day): (Int64, Int64) = (946_684_800_000_000, 86_400_000_000)  // 2000-01-01
        var parameters = self
        parameters.values["from"] = .time(.instant(asOf + day))
        parameters.values["to"] = .time(.instant(asOf + 2 * day))
        return (parameters, asOf)
    }

    /// A parameter of kind duration, or its default, in whole seconds; nil if the report has none of that name.
    public func seconds(_ name: String) -> Int64? {
        if case .duration(let microseconds, _)? = values[name] { return microseconds / 1_000_000 }
        return definition.parameter(name).flatMap { ISODuration.microseconds($0.defaultText) }.map { $0 / 1_000_000 }
    }
}
