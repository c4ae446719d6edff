import Testing

extension TestDatabase {
    /// Runs `notilog alerts`.
    ///
    /// - Parameter allowsPrivate: whether receivers may be on this machine, as those of tests are.
    func alerts(_ arguments: [String], allowsPrivate: Bool = true) async throws -> CommandResult {
        try await NotilogCommand.run(
            ["alerts"] + arguments,
            environment: [
                "NOTILOG_DATABASE_URL": url, "NOTILOG_DELIVERY_PRIVATE_RECEIVERS": allowsPrivate ? "true" : "false",
            ]
        )
    }

    /// Adds a rule by the command.
    func addRule(_ arguments: String...) async throws {
        try await add(arguments)
    }

    /// Adds a rule by the command. It holds for yesterday's responses to `news`, and not for those to `offer`.
    func addResponseRule(_ name: String = "many", to receivers: [String]) async throws {
        try await add(
            ["engagement by category", "--when", "responded > 1", "--name", name]
                + receivers.flatMap { ["--to", $0] }
        )
    }

    private func add(_ arguments: [String]) async throws {
        let result = try await alerts(["add"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
    }
}
