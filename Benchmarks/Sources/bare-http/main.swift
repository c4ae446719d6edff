import Hummingbird
import Logging

// The limit of single-event ingest: a POST whose body is read and answered, and nothing else.
var logger = Logger(label: "bare-http")
logger.logLevel = .error

let router = Router()
router.post("/v1/events") { request, _ in
    let body = try await request.body.collect(upTo: 5 << 20)
    return Response(
        status: .ok,
        headers: [.contentType: "application/json"],
        body: .init(byteBuffer: ByteBuffer(string: "{\"accepted\":\(body.readableBytes > 0 ? 1 : 0)}"))
    )
}
let port = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 8089
let application = Application(
    router: router,
    configuration: .init(address: .hostname("127.0.0.1", port: port)),
    logger: logger
)
try await application.runService()
