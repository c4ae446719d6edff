import NotificationEvents
import Testing

@Suite("The vocabulary")
struct VocabularyTests {
    @Test("has the seventeen kinds, each under its own name")
    func kinds() {
        #expect(
            EventKind.all.map(\.name) == [
                "request", "delivery", "presentation", "action_response", "dismissal", "removal",
                "authorization_request", "open_settings", "settings", "token", "push_result", "category_registration",
                "app_open", "conversion", "holdout", "permission_prompt", "live_activity",
            ]
        )
        for kind in EventKind.all {
            #expect(EventKind.named(kind.name) === kind)
            #expect(kind.sample.contains("\"kind\":\"\(kind.name)\""))
        }
        #expect(EventKind.named("tap") == nil)
    }

    @Test("declares no field twice, and names only its own fields in rules", arguments: EventKind.all)
    func fields(kind: EventKind) {
        let names = kind.fields.map(\.name)
        #expect(Set(names).count == names.count)
        for name in ["kind", "id", "occurred_at", "device_id", "context", "attributes"] {
            #expect(names.contains(name))
        }
        for rule in kind.rules {
            let paths: [String] =
                switch rule {
                case .required(let field, _, _): [field]
                case .atLeastOne(let fields): fields
                case .unique(let field, _): [field]
                }
            for path in paths {
                #expect(names.contains(String(path.prefix { $0 != "/" })))
            }
        }
        for fill in kind.conditionalDefaults {
            #expect(names.contains(fill.field))
        }
        for rewrite in kind.rewrites {
            #expect(EventKind.named(rewrite.kind) != nil)
        }
    }

    @Test("says which texts have a format")
    func formats() {
        let cases: [(StringFormat, fits: [String], not: [String])] = [
            (.any, ["", "anything at all"], []),
            (.languageTag, ["de", "pt-BR", "pt_BR", "zh-Hant-TW"], ["", "en_US@rg=gbzzzz", "en-", "abcdefghi"]),
            (
                .timeZone, ["UTC", "Europe/Berlin", "Etc/GMT+12"],
                ["", "Europe/", "/UTC", "not a zone", "abcdefghijklmno"]
            ),
            (.currency, ["EUR", "JPY"], ["", "eur", "EURO", "AAA"]),
        ]
        for (format, fits, not) in cases {
            for text in fits { #expect(Array(text.utf8).withUnsafeBytes { format.fits($0) }, "\(text)") }
            for text in not { #expect(!Array(text.utf8).withUnsafeBytes { format.fits($0) }, "\(text)") }
        }
    }

    @Test("keeps reply text last, so that a digest of what is before it leaves it out", arguments: EventKind.all)
    func replyText(kind: EventKind) {
        for (index, field) in kind.fields.enumerated() {
            if case .replyText = field.type {
                #expect(index == kind.fields.count - 1)
            }
        }
    }

    @Test("takes pushes' fields from payload and headers into fields that a request has")
    func payload() {
        let names = EventKind.request.fields.map(\.name)
        for mapping in ProviderPayload.payload + ProviderPayload.headers {
            #expect(names.contains(String(mapping.field.prefix { $0 != "/" })))
        }
    }
}
