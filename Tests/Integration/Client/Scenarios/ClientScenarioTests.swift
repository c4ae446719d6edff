#if canImport(NotilogClientOnApple)
    import Foundation
    import Testing

    @testable import NotilogClientOnApple

    /// The scenarios of docs/scenarios.md, from Apple's callback to the figure: the client for Apple's platforms, HTTP, the
    /// service and its reports.
    struct ClientScenarioTests {
        @Test("A scenario's callbacks become its events and its figure", arguments: ClientScenario.all)
        func scenario(scenario: ClientScenario) async throws {
            try await ScenarioStage.run { stage in
                let notilog = try await scenario.play(stage)
                if scenario.sendsItself {
                    let (sql, count) = ("SELECT count(*) FROM log.event", Int64(scenario.events.count))
                    #expect(try await stage.service.eventually(sql, is: count, within: .seconds(60)))
                } else {
                    #expect(await notilog.flush() == .sent)
                }
                #expect(try await stage.kinds() == scenario.events)
                #expect(notilog.diagnosis().map(\.sort) == scenario.findings)
                let rows = try await stage.rows(scenario.figure.report, scenario.figure.query)
                    .filter { row in scenario.figure.row.allSatisfy { row[$0.key] as? String == $0.value } }
                #expect(rows.count == 1, "\(rows)")
                let value = (rows.first?[scenario.figure.column] as? NSNumber)?.doubleValue
                #expect(value == scenario.figure.value, "\(rows)")
            }
        }

        @Test("The documentation's table has these scenarios and no others")
        func documented() throws {
            let page = try ProgramRun.repository().appendingPathComponent("docs/scenarios.md")
            let text = try String(contentsOf: page, encoding: .utf8)
            // The first table; its title and its line are no rows.
            let table = text.components(separatedBy: "\nOthers have").first ?? ""
            let rows = table.components(separatedBy: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2)
            let missing = ClientScenario.all.map(\.row).filter { !rows.contains($0) }
            #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))")
            #expect(rows.count == ClientScenario.all.count)
            #expect(Set(ClientScenario.all.map(\.name)).count == ClientScenario.all.count)
        }
    }
#endif
