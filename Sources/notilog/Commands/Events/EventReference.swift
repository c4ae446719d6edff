import NotificationEvents

/// The vocabulary as a document: the fields of every event, then each kind.
enum EventReference {
    /// The whole document, without a final newline.
    static var everything: String {
        var lines = [
            "# Events", "",
            "Written by `notilog events` from the vocabulary in `Sources/NotificationEvents`.", "",
            "An event is a JSON object. Send it to `POST /v1/events` alone, in an array, or one a line. Times are RFC 3339 with an",
            "offset, and at most 6 digits of a second. `null` counts as absent. A field that its kind does not have is dropped and",
            "named in the answer's `warnings`. An invalid value rejects its event, and no other event. Where a value is a name of",
            "Apple's, its raw integer is accepted too, and an `error` in Swift's spelling (`notificationsNotAllowed`). A whole number",
            "of more than 64 bits is read as a double. U+0000, half a surrogate pair, a number beyond a double and what nests too deep",
            "reject an event only if it depends on them: in what is dropped anyway they are dropped, and named in `warnings`.",
            "",
            "| kind | |", "| --- | --- |",
        ]
        lines += EventKind.all.map { "| [`\($0.name)`](#\($0.name)) | \($0.summary) |" }
        lines += [
            "", "## Every event", "",
            "`id` is the idempotency key; without an id the content is. `occurred_at` is the sender's clock. `device_id` is an id",
            "that the app generates for the installation.", "",
        ]
        lines += table(EventKind.delivery.fields.filter { everywhere.contains($0.name) })
        lines += [
            "", "## Every event about a notification", "",
            "The app generates `notification_id` once for one alert to one person; every callback carries it.",
            "`request_identifier` (`UNNotificationRequest.identifier`) takes its role if it is absent. `occurrence` is a firing",
            "of a repeating request, `delivered_at` the `date` of the `UNNotification`.", "",
        ]
        lines += table(EventKind.delivery.fields.filter { ofNotifications.contains($0.name) })
        for kind in EventKind.all { lines += [""] + section(kind) }
        return lines.joined(separator: "\n")
    }

    /// One kind: its own fields, its rules, and a sample.
    static func section(_ kind: EventKind) -> [String] {
        var lines = ["## \(kind.name)", "", kind.summary]
        let names = Set(kind.fields.map(\.name))
        // A kind that is about the app has a notification's id at most.
        let isAboutNotification = names.isSuperset(of: ofNotifications.subtracting(["delivered_at"]))
        if isAboutNotification {
            lines[2] += " Carries the fields of every event about a notification"
            lines[2] += names.contains("delivered_at") ? "." : ", except `delivered_at`."
        }
        let shared = isAboutNotification ? everywhere.union(ofNotifications) : everywhere
        let own = kind.fields.filter { !shared.contains($0.name) }
        if !own.isEmpty { lines += [""] + table(own) }
        let sentences = kind.sentences
        if !sentences.isEmpty { lines += [""] + sentences.map { "- \($0)" } }
        return lines + ["", "```json", broken(kind.sample), "```"]
    }

    private static let everywhere = EventKind.all.map { Set($0.fields.map(\.name)) }
        .reduce(Set(EventKind.delivery.fields.map(\.name))) { $0.intersection($1) }

    private static let ofNotifications = [EventKind.delivery, .presentation, .dismissal, .removal]
        .map { Set($0.fields.map(\.name)) }
        .reduce(Set(EventKind.delivery.fields.map(\.name))) { $0.intersection($1) }
        .subtracting(everywhere)

    private static func table(_ fields: [Field]) -> [String] {
        ["| field | value | if absent |", "| --- | --- | --- |"] + fields.flatMap { rows($0, within: "") }
    }

    private static func rows(_ field: Field, within path: String) -> [String] {
        let name = path + field.name
        let absent = field.isRequired ? "required" : field.defaultValue.map { "`\($0)`" } ?? ""
        let row = "| `\(name)` | \(field.type.words) | \(absent) |"
        return [row] + field.type.parts.flatMap { rows($0, within: name + field.type.step) }
    }

    /// The same JSON with a line for each member.
    private static func broken(_ json: String) -> String {
        var text = ""
        var depth = 0
        var isText = false
        var isEscaped = false
        for character in json {
            if isText {
                isText = isEscaped || character != "\""
                isEscaped = !isEscaped && character == "\\"
            } else {
                isText = character == "\""
                if "{[".contains(character) { depth += 1 }
                if "}]".contains(character) { depth -= 1 }
                if character == "}" && depth == 0 { text += "\n" }
            }
            text.append(character)
            guard !isText, depth == 1, character == "," || character == "{" && text.count == 1 else { continue }
            text += "\n  "
        }
        return text
    }
}
