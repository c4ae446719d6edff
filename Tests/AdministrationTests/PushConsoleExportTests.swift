import Administration
import NotificationEvents
import Testing

/// Files of the Push Notifications Console, as they are and as they are not.
struct PushConsoleExportTests {
    private let head = "Push Type,Status,Date (UTC),Count\n"

    @Test func oneBadLineRefusesTheFileAndIsNamed() throws {
        let good = "alert,Received by APNs,2026-03-01,1\n"
        let cases = [
            ("", "line 1 "), ("a,b,c,d\n", "the columns Push Type"), (head + good + "alert,x\n", "line 3 "),
            (head + "alert,x,yesterday,1\n", "line 2 "), (head + "alert,x,2026-02-30,1\n", "Date (UTC) must"),
            (head + "alert,x,2026-03-01,-1\n", "Count must"), (head + "alert,x,2026-03-01,1e9\n", "Count must"),
            (head + "alert,x,2026-03-01,99999999999999999999\n", "Count must"), (head + ",x,2026-03-01,1\n", "line 2 "),
            (head + good + good, "of line 2"), (head + "\"alert,x,2026-03-01,1\n", "quotation mark"),
            (head + "alert,\(String(repeating: "x", count: 300)),2026-03-01,1\n", "256 bytes"),
        ]
        for (text, message) in cases {
            let error = #expect(throws: AdministrationError.self, "\(text.prefix(80))") {
                try PushConsoleExport(csv: text)
            }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "") for \(text.prefix(80))")
        }
    }

    @Test func columnsStandInAnyOrder() throws {
        let read = try PushConsoleExport(
            csv: "Count, date (utc) ,Status,Other,Push Type\n\"1,200\",2026-03-01 13:30,\"a \"\"b\"\"\",,voip"
        )
        #expect(read.lines.count == 1 && read.lines[0].count == 1200 && read.lines[0].status == "a \"b\"")
        #expect(read.lines[0].at.description.hasPrefix("2026-03-01T13:30:00"))
        #expect(try PushConsoleExport(csv: head).lines.isEmpty)
    }
}
