import PlainHTTP

extension HTTPAnswer {
    /// The body as text.
    var text: String {
        String(decoding: body, as: UTF8.self)
    }
}
