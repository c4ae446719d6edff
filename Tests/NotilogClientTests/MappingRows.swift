import Foundation
import Testing

@testable import NotilogClient

/// One row of the table of mappings: what Apple's frameworks say, and the event that it becomes.
struct MappingRow: Sendable, CustomTestStringConvertible {
    /// The row's name in the documentation.
    let name: String
    let event: Notilog.Event
    let kind: String
    /// The fields, as JSON.
    let fields: String

    var testDescription: String { name }

    init(_ name: String, _ event: Notilog.Event, _ kind: String, _ fields: String) {
        self.name = name
        self.event = event
        self.kind = kind
        self.fields = fields
    }

    static let now = Date(timeIntervalSince1970: 1_767_225_660)
    static let delivered = Date(timeIntervalSince1970: 1_767_225_600)
    static let mark = Notilog.Mark(id: "n-1", campaignID: "spring", variant: "b")

    static func content(_ change: (inout Notilog.Content) -> Void = { _ in }) -> Notilog.Content {
        var content = Notilog.Content()
        content.hasText = true
        content.mark = mark
        change(&content)
        return content
    }

    static func request(
        _ trigger: Notilog.Trigger = Notilog.Trigger(.push),
        _ change: (inout Notilog.Content) -> Void = { _ in }
    ) -> Notilog.Request {
        Notilog.Request(identifier: "r-1", content: content(change), trigger: trigger)
    }

    static func notification(_ trigger: Notilog.Trigger = Notilog.Trigger(.push)) -> Notilog.Delivered {
        Notilog.Delivered(request(trigger), date: delivered)
    }

    /// What every event about ``request(_:_:)`` carries.
    static let about = #""notification_id":"n-1","request_identifier":"r-1","campaign_id":"spring","variant":"b""#
    static let onPush =
        about + #","trigger":{"type":"push"},"delivered_at":"2026-01-01T00:00:00.000000Z""#

    static let all = requests + stages + responses + device + settings + outcomes
}

extension MappingRow {
    private static let plain = #""origin":"app","alerting":true,"sound":"none","#

    static let requests: [MappingRow] = [
        MappingRow(
            "UNTimeIntervalNotificationTrigger",
            .request(
                request(
                    Notilog.Trigger(.timeInterval, interval: 90, nextDate: now.addingTimeInterval(90))
                ),
                at: now
            ),
            "request",
            "{" + plain + about
                + #","trigger":{"type":"time_interval","repeats":false,"interval_seconds":90},"scheduled_for":"2026-01-01T00:02:30.000000Z"}"#
        ),
        MappingRow(
            "UNCalendarNotificationTrigger",
            .request(
                request(
                    Notilog.Trigger(
                        .calendar,
                        repeats: true,
                        components: DateComponents(
                            calendar: Calendar(identifier: .islamicUmmAlQura),
                            timeZone: TimeZone(identifier: "Europe/Berlin"),
                            hour: 8,
                            minute: 30,
                            weekday: 2
                        ),
                        nextDate: now.addingTimeInterval(3600)
                    )
                ),
                at: now
            ),
            "request",
            "{" + plain + about
                + #","trigger":{"type":"calendar","repeats":true,"date_components":{"hour":8,"minute":30,"weekday":2,"time_zone":"Europe/Berlin","calendar":"islamic-umalqura"}}}"#
        ),
        MappingRow(
            "UNLocationNotificationTrigger",
            .request(request(Notilog.Trigger(.location, repeats: false, onEntry: true, onExit: true)), at: now),
            "request",
            "{" + plain + about + #","trigger":{"type":"location","repeats":false,"region_event":"both"}}"#
        ),
        MappingRow(
            "UNPushNotificationTrigger",
            .request(request(), at: now),
            "request",
            "{" + plain + about + #","trigger":{"type":"push"}}"#
        ),
        MappingRow(
            "no trigger",
            .request(request(Notilog.Trigger(.immediate)), at: now),
            "request",
            "{" + plain + about + #","trigger":{"type":"none"}}"#
        ),
        MappingRow(
            "UNNotificationContent",
            .request(
                request(Notilog.Trigger(.immediate)) { content in
                    content.categoryID = "news"
                    content.threadID = "today"
                    content.badge = 3
                    content.sound = .critical
                    content.interruptionLevel = 2
                    content.relevanceScore = 0.5
                    content.attachmentTypes = ["public.png", "public.mp3", "public.mpeg-4", "com.example.odd"]
                },
                at: now
            ),
            "request",
            "{" + about
                + #","origin":"app","alerting":true,"sound":"critical","trigger":{"type":"none"},"category_id":"news","thread_id":"today","badge":3,"interruption_level":"time_sensitive","relevance_score":0.5,"attachments":["image","audio","video"]}"#
        ),
        MappingRow(
            "content without alert, sound or badge",
            .request(request { $0.hasText = false }, at: now),
            "request",
            "{" + about + #","origin":"app","alerting":false,"sound":"none","trigger":{"type":"push"}}"#
        ),
        MappingRow(
            "add failed",
            .request(request(), error: NSError(domain: "UNErrorDomain", code: 1400), at: now),
            "request",
            "{" + plain + about + #","trigger":{"type":"push"},"error":"notification_invalid_no_date"}"#
        ),
    ]

    static let stages: [MappingRow] = [
        MappingRow(
            "willPresent",
            .delivery(notification(), source: .willPresent, at: now),
            "delivery",
            "{" + onPush + #","source":"will_present","alerting":true}"#
        ),
        MappingRow(
            "willPresent's options",
            .presentation(notification(), options: 1 | 2 | 8 | 16, at: now),
            "presentation",
            "{" + onPush + #","surface":"foreground","options":["badge","sound","list","banner"]}"#
        ),
        MappingRow(
            "willPresent without options",
            .presentation(notification(), options: 0, at: now),
            "presentation",
            "{" + onPush + #","surface":"foreground","options":[]}"#
        ),
        MappingRow(
            "UNNotificationContentExtension, shown",
            .presentation(notification(), inApp: false, at: now),
            "presentation",
            "{" + onPush + #","surface":"expanded"}"#
        ),
        MappingRow(
            "shown in the app's own view",
            .presentation(notification(), inApp: true, at: now),
            "presentation",
            "{" + onPush + #","surface":"in_app"}"#
        ),
        MappingRow(
            "UNNotificationServiceExtension",
            .delivery(
                notification(),
                source: .serviceExtension,
                outcome: Notilog.ExtensionOutcome(
                    .modified,
                    duration: 0.4125,
                    attachmentsLoaded: 1,
                    attachmentsFailed: 2
                ),
                at: now
            ),
            "delivery",
            "{" + onPush
                + #","source":"service_extension","alerting":true,"extension":{"outcome":"modified","duration_ms":413,"attachments_loaded":1,"attachments_failed":2}}"#
        ),
        MappingRow(
            "serviceExtensionTimeWillExpire",
            .delivery(
                notification(),
                source: .serviceExtension,
                outcome: Notilog.ExtensionOutcome(.expired, duration: 29.5),
                at: now
            ),
            "delivery",
            "{" + onPush
                + #","source":"service_extension","alerting":true,"extension":{"outcome":"expired","duration_ms":29500,"attachments_loaded":0,"attachments_failed":0}}"#
        ),
        MappingRow(
            "getDeliveredNotifications, new",
            DeliveredSweep(before: [], now: [notification()]).events(at: now)[0],
            "delivery",
            "{" + onPush + #","source":"delivered_list","alerting":true}"#
        ),
        MappingRow(
            "getDeliveredNotifications, gone",
            DeliveredSweep(before: [Notilog.KnownNotification(notification())], now: []).events(at: now)[0],
            "removal",
            "{" + about
                + #","delivered_at":"2026-01-01T00:00:00.000000Z","reason":"gone","state":"delivered"}"#
        ),
        MappingRow(
            "a repeating request's firing",
            .delivery(
                notification(Notilog.Trigger(.timeInterval, repeats: true, interval: 60)),
                source: .deliveredList,
                at: now
            ),
            "delivery",
            "{" + about
                + #","trigger":{"type":"time_interval","repeats":true,"interval_seconds":60},"delivered_at":"2026-01-01T00:00:00.000000Z","occurrence":"2026-01-01T00:00:00.000000Z","source":"delivered_list","alerting":true}"#
        ),
        MappingRow(
            "removePendingNotificationRequests",
            .removal(Notilog.KnownNotification(request()), reason: .removedByApp, isPending: true, at: now),
            "removal",
            "{" + about + #","reason":"removed_by_app","state":"pending"}"#
        ),
        MappingRow(
            "removeDeliveredNotifications",
            .removal(Notilog.KnownNotification(notification()), reason: .removedByApp, isPending: false, at: now),
            "removal",
            "{" + about
                + #","delivered_at":"2026-01-01T00:00:00.000000Z","reason":"removed_by_app","state":"delivered"}"#
        ),
        MappingRow(
            "record of a request that replaces another notification",
            .removal(Notilog.KnownNotification(request()), reason: .replaced, isPending: true, at: now),
            "removal",
            "{" + about + #","reason":"replaced","state":"pending"}"#
        ),
    ]
}
