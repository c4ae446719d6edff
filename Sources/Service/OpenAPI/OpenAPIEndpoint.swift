internal import Hummingbird
internal import NIOCore

/// `GET /v1/openapi.yaml`: the description of the API, for anybody.
struct OpenAPIEndpoint: Sendable {
    private let body: ByteBuffer

    init(_ document: OpenAPIDocument) {
        body = ByteBuffer(string: document.text)
    }

    var routes: [Route] {
        [
            .open("/v1/openapi.yaml", isQuiet: true) { _, _ in
                // RFC 9512.
                Response(status: .ok, headers: [.contentType: "application/yaml"], body: ResponseBody(byteBuffer: body))
            }
        ]
    }
}
