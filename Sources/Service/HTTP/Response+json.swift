internal import HTTPTypes
internal import Hummingbird
internal import JSON
internal import NIOCore

extension Response {
    /// An answer in JSON.
    static func json(_ json: JSONWriter, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes))
        )
    }
}
