import Folds

/// Events as no sender of ours writes them: members of wrong types, numbers beyond any type, times at the ends of what PostgreSQL
/// holds, kinds that are made up, and now and then bytes that are no JSON at all.
struct HostileEvents {
    var random: Random

    private static let kinds = [
        "request", "delivery", "presentation", "action_response", "dismissal", "removal", "push_result", "settings",
        "category_registration", "token", "authorization_request", "open_settings", "app_open", "conversion", "holdout",
        "permission_prompt", "live_activity", "erasure", "", "requests", "made_up",
    ]
    private static let members: [(String, String)] = [
        ("category_id", #""a""#), ("campaign_id", #""c\"\u00e9""#), ("variant", #""x""#), ("error", #""E""#),
        ("trigger", #"{"type": "push", "repeats": true}"#), ("source", #""service_extension""#), ("status", "200"),
        ("surface", #""foreground""#), ("options", #"["sound", "list"]"#), ("state", #""delivered""#),
        ("reason", #""gone""#), ("alerting", "false"), ("delivered_at", #""2026-03-01T00:00:00.5Z""#),
        ("extension", #"{"outcome": "filtered", "duration_ms": 7, "attachments": {"loaded": 1, "failed": 2}}"#),
        ("delegate", #""content_extension""#), ("thread_id", #""t""#), ("text_length", "3"), ("action_id", #""reply""#),
        ("scheduled_for", #""2026-03-02T09:30:00+05:30""#), ("attributes", #"{"tier": "gold", "apns_status": 410}"#),
        ("context", #"{"platform": "ios", "os_version": "18.1", "app_version": "1", "time_zone": "Asia/Tokyo"}"#),
        (
            "categories",
            #"[{"id": "a", "actions": [{"id": "b", "type": "text_input"}], "options": ["custom_dismiss_action"]}]"#
        ),
        ("authorization_status", #""authorized""#), ("alert_setting", #""enabled""#),
        ("scheduled_summary_setting", "null"),
        ("origin", #""provider""#), ("push", #"{"type": "alert", "topic": "t"}"#), ("push_type", #""background""#),
        ("provider", #""fcm""#), ("type", #""live_activity""#), ("timestamp", "1767225600000"), ("granted", "true"),
        ("activity_id", #""i""#), ("environment", #""production""#), ("topic", #""t""#),
        ("status_before", #""denied""#),
        ("value", "12.34"), ("currency", #""EUR""#), ("name", #""bought""#), ("order_id", #""o""#), ("cold", "true"),
        ("holdout_share", "0.1"), ("mutable_content", "true"), ("interruption_level", #""passive""#),
        ("placement", #""p""#), ("answer", #""allow""#), ("event", #""start""#), ("updates_by", #""push""#),
    ]
    private static let values = [
        "null", "true", "0", "-1", "-0", "0.5", "1e400", "-1e-400", "2147483648", "32768", "-32769",
        "9223372036854775807",
        "-9223372036854775808", "99999999999999999999", "253402300800000", #""""#, #""\\""#, #""\u0000\n\t""#, "[]",
        "{}",
        #"[{}, [], null, "x", 7]"#, #"{"": {"": [[[[{"a": 1}]]]]}}"#, #""9999-12-31T23:59:59.999999Z""#,
        #""0000-01-01T00:00:00+99:99""#, #""9999-99-99T99:99:99.9999999999-99:99""#, #""2026-03-01T00:00:00.""#,
        #""2026-03-01T00:00:00+""#, #""2026-03-01T00:00:0""#, #""294276-12-31T23:59:59Z""#,
        #""4713-01-01T00:00:00Z BC""#,
        #""\ud83d\ude00""#, #"[{"id": "a", "actions": {"id": []}, "options": "x"}, {"id": 5}, {"actions": [{}]}, "a"]"#,
    ]
    /// The earliest and the latest time of PostgreSQL.
    private static let times: ClosedRange<Moment> = -211_813_488_000_000_000...9_223_371_331_199_999_999

    mutating func kind() -> Event.Kind {
        var name = Self.kinds.randomElement(using: &random) ?? ""
        return name.withUTF8 { Event.Kind(UnsafeRawBufferPointer($0)) }
    }

    mutating func moment() -> Moment {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Self.times.lowerBound + .random(in: 0...3, using: &random)
        case 1: Self.times.upperBound - .random(in: 0...3, using: &random)
        case 2: .random(in: Self.times, using: &random)
        case 3: .random(in: -2...2, using: &random)
        default: 826_329_600_000_000 + .random(in: 0...40, using: &random) * Moment.hour
        }
    }

    mutating func occurrence() -> Moment? {
        let usual = moment()
        let all: [Moment?] = [nil, nil, .noOccurrence, .schedule, usual]
        return all[Int.random(in: 0..<all.count, using: &random)]
    }

    mutating func id() -> UUIDValue {
        UUIDValue(high: [0, 1, .max].randomElement(using: &random) ?? 0, low: .random(in: 0 ... .max, using: &random))
    }

    mutating func data() -> [UInt8] {
        var said: [String] = []
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            let (name, usual) = Self.members.randomElement(using: &random) ?? ("", "")
            let isUsual = Int.random(in: 0..<3, using: &random) > 0
            let value = isUsual ? usual : Self.values.randomElement(using: &random) ?? usual
            said.append("\"\(name)\": \(value)")
        }
        var bytes = Array(("{" + said.joined(separator: ", ") + "}").utf8)
        guard Int.random(in: 0..<6, using: &random) == 0 else { return bytes }
        for _ in 0...Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.removeSubrange(place...)
            case 1: bytes.remove(at: place)
            case 2: bytes[place] = .random(in: 0...255, using: &random)
            default: bytes.insert(Array(#"{}[]"\,:9eZ"#.utf8).randomElement(using: &random) ?? 0, at: place)
            }
        }
        return bytes
    }
}
