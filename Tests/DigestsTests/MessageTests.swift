import Deliveries
import Testing

@testable import Digests
@testable import PNG

@Suite("Digests: what they say")
struct MessageTests {
    private static let message = DigestMessage(
        app: "shop",
        view: "news & <offers>",
        question: "engagement by category",
        digest: 3,
        tz: "Europe/Berlin",
        from: "2026-11-16",
        to: "2026-11-23",
        before: "2026-11-09",
        compared: nil,
        figures: [
            .init(name: "reached", unit: "notifications", value: 12_345, change: 0.0416),
            .init(
                name: "engagement_rate",
                unit: "fraction",
                value: 0.1324,
                low: 0.121,
                high: 0.1443,
                change: -0.0112,
                changeLow: -0.029,
                changeHigh: 0.0071
            ), .init(name: "response_p50", unit: "seconds", value: nil),
        ],
        keys: ["category"],
        rows: [
            .init(key: ["<b>"], figures: [.init(name: "reached", unit: "notifications", value: 12_000, change: 0.05)]),
            .init(key: [nil], figures: [.init(name: "reached", unit: "notifications", value: 345)]),
        ],
        hasMore: true,
        chart: .init(
            name: "reached",
            unit: "notifications",
            days: ["2026-11-09", "2026-11-16"],
            lines: [.init(key: [], values: [nil, 12_345])]
        ),
        position: 20_481,
        at: "2026-11-23T07:00:00.000000Z",
        link: "https://page.example/#/saved?name=x"
    )

    @Test("a digest in plain text")
    func text() {
        #expect(Self.message.subject == "shop: news & <offers>, Mon 16 Nov to Sun 22 Nov 2026")
        #expect(
            Self.message.lines == [
                "shop: news & <offers>", "engagement by category",
                "Mon 16 Nov to Sun 22 Nov 2026, Europe/Berlin", "",
                "  reached          12,345                      +4.2 %",
                "  engagement rate  13.2 %  (12.1 % to 14.4 %)  -1.1 pp (-2.9 to +0.7)",
                "  response p50          –", "",
                "  category  reached", "  <b>        12,000  +5.0 %", "  –             345", "and others", "",
                "Compared with Mon 9 Nov to Sun 15 Nov 2026.", "At position 20481, 2026-11-23T07:00:00.000000Z.",
                "https://page.example/#/saved?name=x", "", "To end this digest: notilog digests remove 3 --app shop",
            ],
            "\(Self.message.lines.joined(separator: "\n"))"
        )
    }

    @Test("columns are as wide as a terminal shows them: a wide character takes two, and a long name is cut")
    func wideNames() {
        var message = Self.message
        message.rows = [
            .init(key: ["评论"], figures: [.init(name: "reached", unit: "notifications", value: 12_000)]),
            .init(
                key: [String(repeating: "新", count: 30)],
                figures: [.init(name: "reached", unit: "notifications", value: 345)]
            ),
        ]
        let cut = String(repeating: "新", count: 19) + "…"
        let lines = message.lines
        #expect(lines.contains("  评论" + String(repeating: " ", count: 38) + "12,000"), "\(lines)")
        #expect(lines.contains("  " + cut + String(repeating: " ", count: 6) + "345"), "\(lines)")
    }

    @Test("a digest in HTML says the same, loads nothing, and takes no markup from names")
    func html() throws {
        let page = try #require(Self.message.page)
        for text in [
            "12,345", "+4.2 %", "13.2 %", "-1.1 pp (-2.9 to +0.7)", "12,000 (+5.0 %)", "20481", "and others",
        ] {
            #expect(page.html.contains(text), "\(text)")
        }
        #expect(page.html.contains("&lt;b&gt;") && !page.html.contains("<b>") && !page.html.contains("<offers>"))
        #expect(page.html.contains("alt=\"reached: 2026-11-09 –, 2026-11-16 12,345\""))
        #expect(page.html.contains("src=\"cid:chart@notilog\"") && page.images.map(\.id) == ["chart@notilog"])
        #expect(!page.html.contains("src=\"http") && !page.html.contains("url("))
        #expect(Self.message.document.contains("src=\"data:image/png;base64,iVBORw0KGgo"))
    }

    @Test("what was noted is a line in the chart, where its day is, and words beside it")
    func notes() throws {
        var chart = try #require(Self.message.chart)
        let plain = DigestChart.picture(chart).bytes
        chart.notes = [.init(day: "2026-11-18", label: "release <4.2>"), .init(day: "2026-11-08", label: "before")]
        #expect(chart.words.hasSuffix("; noted: 2026-11-18 release <4.2>, 2026-11-08 before"))
        let drawn = DigestChart.picture(chart).bytes
        // In the middle of the second week, three quarters along, from above to below; nowhere in the first.
        func differs(_ x: Int, _ y: Int) -> Bool {
            let at = 3 * (y * DigestChart.width + x)
            return plain[at..<at + 3] != drawn[at..<at + 3]
        }
        let middle = 12 + (DigestChart.width - 24) * 3 / 4
        #expect(differs(middle, 100) && differs(middle, 250) && !differs(middle - 5, 100))
        #expect(!(0..<DigestChart.width / 2).contains { differs($0, 100) })
        var message = Self.message
        message.chart = chart
        #expect(message.page?.html.contains("2026-11-18 release &lt;4.2&gt;") == true)
    }

    @Test("a digest of nothing says so")
    func nothing() {
        var empty = Self.message
        (empty.figures, empty.rows, empty.keys, empty.chart, empty.digest) = ([], [], [], nil, nil)
        #expect(empty.lines.contains("There was nothing in it.") && !empty.lines.contains { $0.contains("remove") })
        #expect(empty.page?.images.isEmpty == true && empty.page?.html.contains("<img") == false)
    }

    @Test("a change that rounds to nought has no sign, and days of two years say both")
    func words() {
        #expect(DigestWords.change(.init(name: "x", unit: "events", change: -0.0001)) == "0.0 %")
        #expect(DigestWords.change(.init(name: "x", unit: "fraction", change: 0)) == "0.0 pp")
        #expect(DigestWords.change(.init(name: "x", unit: "fraction")) == nil)
        #expect(DigestWords.change(.init(name: "x", unit: "fraction", value: 0.5, change: 0.012)) == "+1.2 pp")
        #expect(DigestWords.change(.init(name: "x", unit: "events", value: 5, change: 0.012)) == "+1.2 %")
        #expect(DigestWords.days(from: "2026-12-28", to: "2027-01-04") == "Mon 28 Dec 2026 to Sun 3 Jan 2027")
        #expect(DigestWords.days(from: "2026-02-28", to: "2026-03-01") == "Sat 28 Feb 2026")
    }

    @Test("a difference of two rates is in points, in text and in HTML; an unknown one is a dash")
    func differences() throws {
        var message = Self.message
        message.figures = [
            .init(name: "difference", unit: "fraction", value: 0.0123, low: -0.0004, high: 0.025, isDifference: true),
            .init(name: "lift", unit: "fraction", isDifference: true),
        ]
        message.rows = [.init(key: ["spring"], figures: message.figures)]
        for text in [message.lines.joined(separator: "\n"), try #require(message.page).html] {
            #expect(text.contains("+1.2 pp") && text.contains("(0.0 to +2.5)"), "\(text)")
            #expect(!text.contains("1.2 %"), "\(text)")
        }
        #expect(DigestWords.value(message.figures[1]) == "–")
    }

    @Test("what is compared is said of what is, and that campaigns are not")
    func compared() {
        let parts = "Campaigns are not compared: a period may have only a part of one."
        let ages = "Rates and responses are too young to be compared."
        #expect(EqualAge.nowhere.words(hasCampaigns: false, hasOthers: true) == ages)
        #expect(EqualAge.nowhere.words(hasCampaigns: true, hasOthers: true) == "\(ages) \(parts)")
        #expect(EqualAge.nowhere.words(hasCampaigns: true, hasOthers: false) == parts)
        #expect(EqualAge.whole.words(hasCampaigns: false, hasOthers: true) == nil)
    }

    @Test("a question in words is of what is asked, and not of endless length")
    func questions() {
        let question = DigestQuestion(
            view: "v",
            report: "engagement",
            parameters: [
                "by": ["category", "platform"], "tz": ["UTC"], "from": ["2026-01-01"], "window": ["P1D"],
                "campaign": ["spring", ""], "interval": ["week"],
            ]
        )
        #expect(question.words == "engagement by category and platform, campaign spring or none, window P1D")
        #expect(question.pairs.map(\.name) == ["by", "by", "campaign", "campaign", "tz", "window"])
        let long = DigestQuestion(
            view: "v",
            report: "activity",
            parameters: ["kind": (0..<500).map { "kind \($0)" }]
        )
        #expect(long.words.count == 301)
    }
}
