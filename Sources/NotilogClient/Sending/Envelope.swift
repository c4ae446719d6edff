import Foundation

/// A batch as a request. It has no time of sending if that is not known when the request is made.
enum Envelope {
    static func request(_ events: [Notilog.QueuedEvent], _ settings: Uploader.Settings, sentAt: Date?)
        -> Notilog.OutgoingRequest
    {
        var body = Data("[".utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body.append(event.json)
        }
        body.append(UInt8(ascii: "]"))
        var headers = [
            "Authorization": "Bearer \(settings.writeKey)",
            "Content-Type": "application/json",
        ]
        // The device's clock as it sends: where it is wrong, the service corrects the events' times by it.
        headers["Notilog-Sent-At"] = sentAt?.rfc3339
        if let compressed = Gzip.compress(body) {
            headers["Content-Encoding"] = "gzip"
            body = compressed
        }
        return Notilog.OutgoingRequest(url: settings.url, headers: headers, body: body)
    }
}
