import EventLog
import Schema
import Testing

@testable import Reports

@Suite struct ParameterTests {
    private func parse(_ pairs: KeyValuePairs<String, String>) throws -> ReportParameters {
        try ReportParameters(pairs.map { ($0.key, $0.value) }, for: Fixture.definition())
    }

    @Test func nothingGivenIsAllDefaults() throws {
        let parameters = try parse([:])
        #expect(parameters.dimensions == ["category"])
        #expect(parameters.filters.isEmpty && parameters.values.isEmpty)
        #expect(parameters.format == nil && parameters.minPositions.isEmpty)
        #expect(parameters.text("interval") == "none" && parameters.text("tz") == "UTC")
    }

    @Test func eachKindIsRead() throws {
        let parameters = try parse([
            "by": "platform, category", "interval": "day", "from": "2026-03-01", "to": "2026-03-02T10:00:00+05:45",
            "tz": "Asia/Kathmandu", "window": "P1DT12H", "format": "csv", "min_position": "17", "category": "news",
            "category": "", "platform": "ios",
        ])
        #expect(parameters.dimensions == ["platform", "category"])
        #expect(parameters.values["from"] == .time(.date("2026-03-01")))
        #expect(parameters.values["to"] == .time(.instant(1_772_424_900_000_000)))
        #expect(parameters.values["window"] == .duration(microseconds: 129_600_000_000, text: "P1DT12H"))
        #expect(parameters.filters == ["category": ["news", nil], "platform": ["ios"]])
        #expect(parameters.format == .csv && parameters.minPositions == [17])
        #expect(try parse(["from": "P7D"]).values["from"] == .time(.days(7)))
        #expect(try parse(["by": "none"]).dimensions.isEmpty)
        #expect(try parse(["most": "20"]).whole("most") == 20 && parse([:]).whole("most") == 10)
    }

    @Test(arguments: [
        ("by", "country"), ("by", ""), ("by", "none,category"), ("by", "category,category"),
        ("by", "category,platform,category"),
        ("interval", "year"), ("from", "yesterday"), ("from", ""), ("from", "P0D"), ("from", "P1W"), ("from", "P9999D"),
        ("to", "P7D"), ("to", "2026-02-30"), ("to", "2026-2-3"), ("tz", ""),
        ("window", "3 days"), ("window", "P1M"), ("format", "xml"), ("min_position", "-1"), ("min_position", "x"),
        ("most", "0"), ("most", "21"), ("most", "2.5"), ("mature", "yes"),
    ])
    func whatIsNotAcceptedIsRefusedWithWhatIs(_ name: String, _ value: String) throws {
        let error = #expect(throws: ReportError.self) { try parse([name: value]) }
        #expect(error?.code == .invalidParameter)
        #expect(error?.parameter == name)
        #expect(error?.message.contains("accepted: ") == true)
    }

    @Test func anUnknownParameterIsToldWhichThereAre() throws {
        let error = #expect(throws: ReportError.self) { try parse(["catgory": "news"]) }
        #expect(error?.code == .unknownParameter)
        #expect(
            error?.accepted == [
                "by", "interval", "from", "to", "tz", "window", "most", "mature", "category", "platform", "format",
                "min_position",
            ]
        )
        #expect(error?.message.hasPrefix("there is no parameter \"catgory\"; accepted: by, interval") == true)
    }

    @Test func aFlagIsTrueOrFalse() throws {
        let catalogue = try ReportCatalogue(folder: ReleaseFolder.locate())
        let engagement = try catalogue.report("engagement")
        #expect(try ReportParameters([("mature", "true")], for: engagement).flag("mature"))
        #expect(try !ReportParameters([("mature", "false")], for: engagement).flag("mature"))
        #expect(try !ReportParameters([], for: engagement).flag("mature"))
        #expect(throws: ReportError.self) { try ReportParameters([("mature", "1")], for: engagement) }
    }

    @Test func everyReportAcceptsAWindowAndWhetherToLeaveOutWhatIsImmature() throws {
        for report in try ReportCatalogue(folder: ReleaseFolder.locate()).reports {
            _ = try ReportParameters([("window", "P7D"), ("mature", "true")], for: report)
            for (name, value) in [("window", "a week"), ("mature", "yes")] {
                let error = #expect(throws: ReportError.self) { try ReportParameters([(name, value)], for: report) }
                #expect(error?.parameter == name && error?.code == .invalidParameter)
            }
        }
        #expect(try parse(["mature": "true"]).values.isEmpty)
    }

    @Test func dimensionsComeJoinedOrOneByOne() throws {
        #expect(try parse(["by": "platform", "tz": "UTC", "by": "category"]).dimensions == ["platform", "category"])
        #expect(throws: ReportError.self) { try parse(["by": "category", "by": "none"]) }
        #expect(throws: ReportError.self) { try parse(["by": "category", "by": "category"]) }
    }

    @Test func onlyFiltersAndDimensionsAreRepeated() throws {
        #expect(throws: ReportError.self) { try parse(["interval": "day", "interval": "hour"]) }
        #expect(throws: ReportError.self) { try parse(["category": "a\u{0}b"]) }
    }

    @Test(arguments: [
        ("P3D", 259_200_000_000), ("PT1H", 3_600_000_000), ("P1W", 604_800_000_000), ("PT0.5S", 500_000),
        ("P1DT2H3M4S", 93_784_000_000), ("P0D", 0),
    ])
    func durations(_ text: String, _ microseconds: Int64) {
        #expect(ISODuration.microseconds(text) == microseconds)
    }

    @Test(arguments: [
        "", "P", "PT", "3D", "P3", "P1Y", "PT1D", "P1H", "P1DT", "P-1D", "PTT1H", "P1.5D", "PT1M1H", "P1D1D",
        "P99999999999D",
    ])
    func noDurations(_ text: String) {
        #expect(ISODuration.microseconds(text) == nil)
    }
}
