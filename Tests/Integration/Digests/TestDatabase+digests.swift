import Testing

extension TestDatabase {
    /// Runs `notilog` on this database.
    func command(_ arguments: String...) async throws -> CommandResult {
        try await NotilogCommand.run(arguments, environment: ["NOTILOG_DATABASE_URL": url])
    }

    /// Saves a view by the command.
    func saveView(_ arguments: String...) async throws {
        let result = try await NotilogCommand.run(
            ["report", "save"] + arguments,
            environment: ["NOTILOG_DATABASE_URL": url]
        )
        #expect(result.status == 0, "\(result.errors)")
    }
}
