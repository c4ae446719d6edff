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

    /// An answer in JSON: an object with the members that `members` writes.
    static func object(capacity: Int = 256, _ members: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter(capacity: capacity)
        json.object(members)
        return .json(json)
    }

    /// The same for something that was just created: 201, not to be cached.
    ///
    /// - Parameter isNew: false if it existed already: 200.
    static func made(isNew: Bool = true, _ members: (inout JSONWriter) -> Void) -> Response {
        var response = Response.object(members)
        guard isNew else { return response }
        response.status = .created
        response.headers[.cacheControl] = "no-store"
        return response
    }

    /// An answer in JSON: an object with one member, an array of objects.
    ///
    /// - Parameters:
    ///   - name: the member's name.
    ///   - bytes: about how long an element is.
    ///   - members: writes the members of an element's object.
    static func list<Element>(
        _ name: StaticString,
        _ elements: [Element],
        bytes: Int,
        members: (Element, inout JSONWriter) -> Void
    ) -> Response {
        .object(capacity: bytes * (elements.count + 1)) { $0.field(name, objects: elements, members: members) }
    }
}
