import Foundation
import Testing

@testable import NotilogClient

/// Calls the client as an app would that gets the callbacks of a conformance vector.
struct CallbackPlayer {
    let notilog: Notilog

    func play(_ step: [String: Any]) throws {
        switch step["call"] as? String {
        case "add": notilog.record(request(step["notification"]), error: error(step["error"]))
        case "deliver":
            let source = try #require(Notilog.DeliverySource(rawValue: step["source"] as? String ?? ""))
            notilog.record(delivered(step), source: source)
        case "extension": try playExtension(step)
        case "present": notilog.record(delivered(step), presentedWith: Self.bits(step["options"], Self.presentation))
        case "respond":
            let response = Notilog.Response(
                delivered(step),
                actionIdentifier: Self.action(step["action"] as? String ?? ""),
                text: step["text"] as? String
            )
            notilog.record(response, appState: Self.state(step))
        case "sweep": notilog.recordSweep(list(step))
        case "remove_pending": notilog.recordRemoval(pending: step["identifiers"] as? [String])
        case "remove_delivered": notilog.recordRemoval(delivered: step["identifiers"] as? [String], of: list(step))
        case "push":
            let state = try #require(Self.state(step))
            notilog.record(remoteNotification: step["payload"] as? [String: Any] ?? [:], appState: state)
        case "launch": notilog.record(launchNotification: step["payload"] as? [String: Any] ?? [:])
        case "local": try playLocal(step)
        default: try playDevice(step)
        }
    }

    private func playDevice(_ step: [String: Any]) throws {
        let (topic, isSandbox) = (step["topic"] as? String, step["sandbox"] as? Bool)
        switch step["call"] as? String {
        case "ask":
            notilog.record(
                authorizationOptions: Self.bits(step["options"], ["badge", "sound", "alert"]),
                granted: step["granted"] as? Bool ?? false,
                error: nil,
                statusBefore: (step["status_before"] as? String).flatMap { Self.statuses.firstIndex(of: $0) }
            )
        case "settings":
            var settings = Notilog.Settings()
            let given = step["settings"] as? [String: String] ?? [:]
            settings.authorizationStatus = given["authorization_status"].flatMap { Self.statuses.firstIndex(of: $0) }
            settings.sound = given["sound"].flatMap { Self.settings.firstIndex(of: $0) }
            notilog.record(settings)
        case "token":
            let digits = step["token"] as? String ?? ""
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(digits.dropFirst($0).prefix(2), radix: 16)
            }
            notilog.record(deviceToken: Data(bytes), topic: topic, isSandbox: isSandbox)
        case "token_failed":
            notilog.record(tokenFailure: try #require(error(step["error"])), topic: topic, isSandbox: isSandbox)
        case "open_settings": notilog.recordOpenSettings()
        default: try playOutcome(step)
        }
    }

    private func playOutcome(_ step: [String: Any]) throws {
        func text(_ name: String) -> String? { step[name] as? String }
        switch text("call") {
        case "register":
            let categories = step["categories"] as? [[String: Any]] ?? []
            notilog.record(categories.map { Self.category($0) })
        case "open":
            let source = try #require(Notilog.AppOpenSource(rawValue: text("source") ?? ""))
            notilog.recordAppOpen(source, isCold: step["cold"] as? Bool, notificationID: text("notification_id"))
        case "convert":
            let amount = (step["value"] as? Int).flatMap { value in
                text("currency").map { Notilog.Conversion.Amount(Int64(value), $0) }
            }
            notilog.record(Notilog.Conversion(text("name") ?? "", amount: amount, orderID: text("order_id")))
        case "prompt":
            let answer = try #require(Notilog.PromptAnswer(rawValue: text("answer") ?? ""))
            notilog.recordPermissionPrompt(
                placement: text("placement") ?? "",
                variant: text("variant"),
                answer: answer
            )
        case "activity":
            notilog.record(
                Notilog.LiveActivity(
                    id: text("activity_id") ?? "",
                    attributesType: text("attributes_type"),
                    state: try #require(Notilog.LiveActivity.State(rawValue: text("state") ?? "")),
                    startedBy: text("started_by").flatMap { Notilog.LiveActivity.StartedBy(rawValue: $0) },
                    updatesBy: text("updates_by").flatMap { Notilog.LiveActivity.UpdatesBy(rawValue: $0) }
                )
            )
        default: Issue.record("an unknown call: \(step["call"] ?? "none")")
        }
    }

    private static func category(_ fields: [String: Any]) -> Notilog.Category {
        let actions = (fields["actions"] as? [[String: Any]] ?? []).map { action in
            Notilog.Category.Action(
                action["identifier"] as? String ?? "",
                title: action["title"] as? String ?? "",
                textButtonTitle: action["text_button"] as? String
            )
        }
        return Notilog.Category(
            fields["identifier"] as? String ?? "",
            options: fields["dismissals"] as? Bool == true ? 1 : 0,
            actions: actions
        )
    }

    /// A local notification of iOS 4 to 9.
    private func playLocal(_ step: [String: Any]) throws {
        let fields = step["notification"] as? [String: Any] ?? [:]
        let local = Notilog.LocalNotification(
            userInfo: ["notilog": ["id": fields["id"] as? String]],
            hasText: fields["text"] as? Bool ?? false,
            category: fields["category"] as? String,
            fireDate: Self.date(fields["fire_date"])
        )
        let (action, state) = (step["action"] as? String, Self.state(step))
        if let action {
            notilog.record(actionIdentifier: action, localNotification: local, appState: state)
        } else if state == .notRunning {
            notilog.record(launchLocalNotification: local)
        } else {
            notilog.record(localNotification: local, appState: try #require(state))
        }
    }

    private func playExtension(_ step: [String: Any]) throws {
        let result = try #require(Notilog.ExtensionOutcome.Result(rawValue: step["outcome"] as? String ?? ""))
        var outcome = Notilog.ExtensionOutcome(
            result,
            duration: Double(step["duration_ms"] as? Int ?? 0) / 1000,
            attachmentsLoaded: step["loaded"] as? Int ?? 0,
            attachmentsFailed: step["failed"] as? Int ?? 0
        )
        outcome.failure = step["failure"] as? String
        notilog.record(delivered(step), source: .serviceExtension, outcome: outcome)
    }

    private func request(_ fields: Any?) -> Notilog.Request {
        let fields = fields as? [String: Any] ?? [:]
        var content = Notilog.Content()
        content.categoryID = fields["category"] as? String ?? ""
        content.hasText = fields["text"] as? Bool ?? false
        content.badge = fields["badge"] as? Int
        content.sound = (fields["sound"] as? String).flatMap { Notilog.Content.Sound(rawValue: $0) }
        content.mark = Notilog.Mark(
            id: fields["id"] as? String,
            campaignID: fields["campaign"] as? String,
            variant: fields["variant"] as? String
        )
        let trigger = fields["trigger"] as? [String: Any] ?? [:]
        return Notilog.Request(
            identifier: fields["identifier"] as? String ?? "",
            content: content,
            trigger: Notilog.Trigger(
                (trigger["type"] as? String).flatMap { Notilog.Trigger.Kind(rawValue: $0) },
                repeats: trigger["repeats"] as? Bool ?? false,
                interval: trigger["interval_seconds"] as? Double,
                nextDate: Self.date(trigger["next"])
            )
        )
    }

    private func delivered(_ step: [String: Any]) -> Notilog.Delivered {
        Notilog.Delivered(request(step["notification"]), date: Self.date(step["delivered_at"]))
    }

    private func list(_ step: [String: Any]) -> [Notilog.Delivered] {
        (step["notifications"] as? [[String: Any]] ?? []).map {
            Notilog.Delivered(request($0), date: Self.date($0["delivered_at"]))
        }
    }

    private func error(_ fields: Any?) -> NSError? {
        (fields as? [String: Any]).map {
            NSError(domain: $0["domain"] as? String ?? "", code: $0["code"] as? Int ?? 0)
        }
    }

    static func date(_ text: Any?) -> Date? {
        (text as? String).flatMap { ISO8601DateFormatter().date(from: $0) }
    }

    private static func state(_ step: [String: Any]) -> Notilog.AppState? {
        (step["app_state"] as? String).flatMap { Notilog.AppState(rawValue: $0) }
    }

    private static func action(_ name: String) -> String {
        switch name {
        case "default": "com.apple.UNNotificationDefaultActionIdentifier"
        case "dismiss": "com.apple.UNNotificationDismissActionIdentifier"
        default: name
        }
    }

    private static func bits(_ names: Any?, _ order: [String]) -> UInt {
        (names as? [String] ?? []).reduce(0) { $0 | 1 << UInt(order.firstIndex(of: $1) ?? 63) }
    }

    private static let presentation = ["badge", "sound", "alert", "list", "banner"]
    private static let statuses = ["not_determined", "denied", "authorized", "provisional", "ephemeral"]
    private static let settings = ["not_supported", "disabled", "enabled"]
}
