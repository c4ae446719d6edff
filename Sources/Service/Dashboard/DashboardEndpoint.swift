internal import HTTPTypes
internal import Hummingbird

/// `GET /`, the dashboard's page, and `GET /dashboard/{folder}/{file}`, what it is made of.
///
/// They are open: what there is to see comes from the reports, for whoever has a key that reads.
struct DashboardEndpoint: Sendable {
    let folder: DashboardFolder

    var routes: [Route] {
        [
            .open("/", isQuiet: true) { request, _ in try answer("index.html", request) },
            .open("/dashboard/{folder}/{file}", isQuiet: true) { request, context in
                let folder = try context.pathParameter("folder")
                return try answer(folder + "/" + (try context.pathParameter("file")), request)
            },
        ]
    }

    private func answer(_ name: String, _ request: Request) throws(Problem) -> Response {
        guard let file = folder.files[name] else {
            throw .notFound(
                folder.files.isEmpty
                    ? "the dashboard is not installed: put dashboards/web beside the folder sql"
                    : "the dashboard has no such file"
            )
        }
        var response = file.response(to: request)
        DashboardHeaders.add(to: &response.headers)
        return response
    }
}
