import Testing

extension TestDatabase {
    /// Runs `notilog alerts`.
    func alerts(_ arguments: [String]) async throws -> CommandResult {
        try await NotilogCommand.run(["alerts"] + arguments, environment: ["NOTILOG_DATABASE_URL": url])
    }

    /// Adds a rule by the command.
    func addRule(_ arguments: String...) async throws {
        let result = try await alerts(["add"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
    }
}
