internal import HTTPTypes
internal import Hummingbird

/// `GET /`, the dashboard's page, and `GET /dashboard/{version}/{folder}/{file}`, what it is made of.
///
/// They are open: all data comes from the reports, which need a key of scope read.
struct DashboardEndpoint: Sendable {
    let folder: DashboardFolder

    var routes: [Route] {
        [
            .open("/", isQuiet: true) { request, _ in try answer(folder.page, request) },
            .open("/dashboard/{version}/{folder}/{file}", isQuiet: true) { request, context in
                let name = try context.pathParameter("folder") + "/" + (try context.pathParameter("file"))
                // A page of another release, during an upgrade: it may use this release's file, but must not cache it.
                let isThis = try context.pathParameter("version") == folder.version
                return try answer(folder.files[name], request, isThis ? Self.forGood : "no-cache")
            },
        ]
    }

    /// Another version has other addresses (RFC 8246).
    private static let forGood = "public, max-age=31536000, immutable"

    private func answer(
        _ file: StoredBody?,
        _ request: Request,
        _ cacheControl: String = "no-cache"
    ) throws(Problem) -> Response {
        guard let file else {
            throw .notFound(
                folder.files.isEmpty
                    ? "the dashboard is not installed: put dashboards/web beside the folder sql"
                    : "the dashboard has no such file"
            )
        }
        var response = file.response(to: request, cacheControl: cacheControl)
        DashboardHeaders.add(to: &response.headers)
        return response
    }
}
