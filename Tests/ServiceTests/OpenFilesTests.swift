import Logging
import Testing

@testable import Service

/// Connections never take the last file that the process may have open.
@Suite struct OpenFilesTests {
    private let limits = Connections.Limits(all: 4096, ofAddress: 1024)
    private let logger = Logger(label: "test.files")

    @Test(arguments: [nil, 1_048_576, 4096 + 64 + 128 + 150])
    func allOfThemFit(_ openFiles: Int?) throws {
        let fitting = try limits.fitting(openFiles: openFiles, sessions: 50, logger)
        #expect(fitting.all == 4096 && fitting.ofAddress == 1024)
    }

    @Test(arguments: [4096 + 64 + 128 + 149, 1024, 400])
    func someDo(_ openFiles: Int) throws {
        let fitting = try limits.fitting(openFiles: openFiles, sessions: 50, logger)
        #expect(fitting.all + fitting.spare + 128 + 150 == openFiles && fitting.ofAddress == max(1, fitting.all / 4))
    }

    @Test(arguments: [48, 64 + 128 + 150 + 15])
    func hardlyAnyIsAnError(_ openFiles: Int) {
        #expect(throws: ServiceError.self) { try limits.fitting(openFiles: openFiles, sessions: 50, logger) }
    }
}
