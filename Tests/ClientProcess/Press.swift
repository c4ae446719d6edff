import Foundation
import NotilogClient

/// An app that is opened, in which one button is pressed, and that ends: `at` a step, `anywhere`, or `soon`, three tenths
/// of a second later. Or a service `extension` that gets one push. Or an app that is left `open` until all is sent.
func press(_ number: Int, url: URL, key: String, folder: String, end: String) async -> Bool {
    let step = Step(rawValue: end)
    var options = Notilog.Options()
    options.folder = URL(fileURLWithPath: folder)
    options.limits.durability = .processEnd
    options.sendsAutomatically = end != "extension"
    options.storage = options.folder.map {
        EndingQueue(queue: Notilog.FileQueue(folder: $0, limits: options.limits), end: step)
    }
    options.transport = EndingTransport(end: step)
    if step?.isHandedOver == true { options.backgroundUploads = EndingUploads(end: step) }
    let notilog = Notilog(url: url, writeKey: key, options: options)
    if end == "open" {
        while await notilog.flush() != .sent {}
        return true
    }
    var content = Notilog.Content()
    content.hasText = true
    content.categoryID = "news"
    content.mark = Notilog.Mark(id: "n-\(number)")
    let request = Notilog.Request(identifier: "r-\(number)", content: content, trigger: Notilog.Trigger(.push))
    let notification = Notilog.Delivered(request, date: nil)
    if end == "extension" {
        let outcome = Notilog.ExtensionOutcome(.modified, duration: 0.1)
        guard notilog.record(notification, source: .serviceExtension, outcome: outcome).isQueued else { return false }
        await notilog.flush(within: 2)
        // Here the content handler would be called; the system then ends the process as it likes.
        kill(getpid(), SIGKILL)
    }
    if end == "anywhere" { killSoon(upTo: 0.05) }
    guard notilog.record(Notilog.Response(notification, actionIdentifier: "like")).isQueued else { return false }
    FileHandle.standardOutput.write(Data("receipt\n".utf8))
    if end == "soon" {
        usleep(300_000)
        _exit(0)
    }
    // The end comes from a step.
    try? await Task<Never, Never>.sleep(nanoseconds: 20_000_000_000)
    return false
}
