// An app of the tests', for them to kill: it records so many events through NotilogClient and sends them, and says of
// each when it has its receipt.
//
//     client-process URL KEY FOLDER ROLE START FIRST END
//
// Or it adds so many requests to the index of notifications, once it is told to on its standard input:
//
//     client-process index FOLDER ROLE COUNT
//
// Or one button is pressed in it, and it ends as `press` says:
//
//     client-process press URL KEY FOLDER NUMBER END

import Foundation
import NotilogClient

let arguments = CommandLine.arguments
if arguments.count == 5, arguments[1] == "index", let count = Int(arguments[4]) {
    exit(addRequests(count, folder: arguments[2], role: arguments[3]) ? 0 : 1)
}
if arguments.count == 7, arguments[1] == "press", let url = URL(string: arguments[2]), let number = Int(arguments[5]) {
    exit(await press(number, url: url, key: arguments[3], folder: arguments[4], end: arguments[6]) ? 0 : 1)
}
guard arguments.count == 8, let url = URL(string: arguments[1]), let start = TimeInterval(arguments[5]),
    let first = Int(arguments[6]), let end = Int(arguments[7])
else {
    FileHandle.standardError.write(Data("client-process URL KEY FOLDER ROLE START FIRST END\n".utf8))
    exit(2)
}
let role = arguments[4]

var options = Notilog.Options()
options.folder = URL(fileURLWithPath: arguments[3])
options.backoff = Notilog.Backoff(base: 0.01, limit: 0.2)
options.limits = Notilog.QueueLimits(bytes: 8 << 20, durability: .processEnd)
options.sendingDelay = 0.01
options.batchEvents = 200
options.transport = Notilog.URLSessionTransport(timeout: 5)
options.onReport = { report in
    switch report {
    // What a hostile line does, and no harm.
    case .delayed: break
    default: FileHandle.standardError.write(Data("\(report)\n".utf8))
    }
}
let notilog = Notilog(url: url, writeKey: arguments[2], options: options)

/// The same id for the same number, so that the test may have an event recorded again of whose receipt it did not hear.
func id(_ number: Int) -> UUID {
    var bytes = [UInt8](repeating: 0, count: 16)
    for index in 0..<8 { bytes[15 - index] = UInt8(truncatingIfNeeded: number >> (index * 8)) }
    bytes[0] = role == "app" ? 1 : 2
    bytes[6] = 0x70
    bytes[8] = 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
}

var number = first
while number < end {
    let event = Notilog.Event(
        role == "app" ? "action_response" : "delivery",
        at: Date(timeIntervalSince1970: start + Double(number) / 1000),
        fields: [
            "notification_id": .string("n-\(number)"),
            role == "app" ? "action_id" : "source": role == "app" ? "default" : "service_extension",
            "attributes": ["n": .integer(Int64(number))],
        ],
        id: id(number)
    )
    let receipt = notilog.track(event)
    guard receipt.isQueued else {
        FileHandle.standardError.write(Data("no receipt: \(receipt)\n".utf8))
        exit(1)
    }
    FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    number += 1
    // Faster than anything can be sent, the queue would have to give events up.
    if number % 500 == 0 {
        while notilog.status().events > 4000 { await notilog.flush() }
    }
}
while await notilog.flush() != .sent {}
exit(0)
