import Foundation
import Testing

/// The description of the API makes a client that works: Tests/OpenAPI/check.py, with packages of PyPI.
@Suite(.serialized)
struct OpenAPIClientTests {
    private static let checks = [
        "is_valid_as_it_lies", "is_valid_as_served", "has_an_example_of_every_answer",
        "has_the_reports_own_columns_in_examples", "makes_a_client", "is_a_client_that_works",
    ]

    @Test(.timeLimit(.minutes(5))) func theDescriptionIsGoodForClients() async throws {
        try await ServiceFixture.run { service in
            let app = service.app
            let given: [String: Any] = [
                "url": service.service.url,
                "keys": ["write": app.write, "read": app.read, "admin": app.admin],
            ]
            let configuration = String(decoding: try JSONSerialization.data(withJSONObject: given), as: UTF8.self)
            let run = try await ProgramRun.run(
                "OpenAPI/check.py",
                environment: ["NOTILOG_OPENAPI_TEST": configuration],
                limit: .seconds(180)
            )
            run.expect(Self.checks)
        }
    }
}
