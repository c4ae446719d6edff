import Foundation
import NotilogClient

/// Records requests that will fire tomorrow, each of a name of its own, from the moment that a line comes in.
func addRequests(_ count: Int, folder: String, role: String) -> Bool {
    var options = Notilog.Options()
    options.folder = URL(fileURLWithPath: folder)
    options.limits.durability = .processEnd
    options.sendsAutomatically = false
    guard let url = URL(string: "http://127.0.0.1:9") else { return false }
    let notilog = Notilog(url: url, writeKey: "key", options: options)
    FileHandle.standardOutput.write(Data("ready\n".utf8))
    _ = readLine()
    return (0..<count).allSatisfy { number in
        var content = Notilog.Content()
        content.mark = Notilog.Mark()
        let tomorrow = Date().addingTimeInterval(86_400)
        let request = Notilog.Request(
            identifier: "\(role) \(number)",
            content: content,
            trigger: Notilog.Trigger(.timeInterval, interval: 86_400, nextDate: tomorrow)
        )
        return notilog.record(request).isQueued
    }
}
