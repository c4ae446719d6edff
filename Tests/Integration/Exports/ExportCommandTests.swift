import Exports
import Foundation
import Postgres
import Testing

/// What the command says to what it cannot do: one sentence, exit code 1 or 64, and nothing half-written under a final name.
struct ExportCommandTests {
    private func run(_ exports: ExportsDatabase, _ arguments: [String]) async throws -> CommandResult {
        try await NotilogCommand.run(
            ["export"] + arguments,
            environment: ["NOTILOG_DATABASE_URL": exports.database.url]
        )
    }

    @Test func whatIsNotAcceptedIsSaid() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let output = exports.folder.path
            let usual = ["--output", output, "--app", "demo"]
            for (arguments, status, said) in [
                (
                    ["sales", "--cursor", "c"] + usual, 64 as Int32,
                    "device_settings, device_tokens, engagement, events, notifications"
                ),
                (["events", "--cursor", "c", "--format", "xml"] + usual, 64, "ndjson or csv"),
                (["events", "--cursor", "No Good"] + usual, 64, "a–z, 0–9"),
                (["events", "--cursor", "../c"] + usual, 64, "a–z, 0–9"),
                (["events", "--cursor", "c", "--output", output], 1, "--app demo or --app other"),
                (["events", "--cursor", "c", "--output", output, "--app", "none"], 1, "none"),
                (["events", "--cursor", "c", "--app", "demo", "--output", "/proc/nowhere/at/all"], 1, "--output"),
                (["events", "--cursor", "c", "--app", "demo", "--output", "/dev/null"], 1, "choose a folder"),
                (["cursors", "reset", "c"], 1, "cursors list"), (["cursors", "drop", "c"], 1, "cursors list"),
            ] {
                let result = try await run(exports, arguments)
                #expect(result.status == status, "\(arguments)")
                #expect(result.errors.contains(said), "\(arguments): \(result.errors)")
                #expect(result.output.isEmpty)
            }
            #expect(ExportedFolder(url: exports.folder).names.isEmpty)
            for arguments in [
                ["events"], ["events", "--cursor", "c"], ["events", "--cursor", "c", "--every", "0"] + usual,
            ] {
                #expect(try await run(exports, arguments).status == 64)
            }
        }
    }

    /// As for a report: a script tells by it that to try again is of no use.
    @Test func aPositionThatTheLogNeverGaveIsAnErrorOfUsage() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let result = try await run(
                exports,
                [
                    "events", "--cursor", "c", "--output", exports.folder.path, "--app", "demo",
                    "--min-position", "999999",
                ]
            )
            #expect(result.status == 64 && result.errors.contains("has not assigned yet"), "\(result.errors)")
        }
    }

    @Test func theFoldersAroundTheFilesAreMade() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let output = exports.folder.path + "/some/where/events"
            let result = try await run(exports, ["events", "--cursor", "c", "--output", output, "--app", "demo"])
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == output + "/c.events.0000000000000001-0000000000000003.ndjson\n")
        }
    }

    @Test func aCursorKeepsToItsDatasetItsAppAndItsFolder() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let usual = ["--output", exports.folder.path, "--app", "demo"]
            let first = try await run(exports, ["events", "--cursor", "c"] + usual)
            #expect(first.status == 0, "\(first.errors)")
            #expect(first.output == exports.folder.path + "/c.events.0000000000000001-0000000000000003.ndjson\n")
            let nothing = try await run(exports, ["events", "--cursor", "c"] + usual)
            #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors.contains("nothing new"))
            let otherData = try await run(exports, ["notifications", "--cursor", "c"] + usual)
            #expect(otherData.status == 1 && otherData.errors.contains("belongs to dataset events"))
            let otherApp = try await run(
                exports,
                ["events", "--cursor", "c", "--output", exports.folder.path, "--app", "other"]
            )
            #expect(otherApp.status == 1 && otherApp.errors.contains("another app"))
            let otherFolder = try await run(exports, ["events", "--cursor", "d"] + usual)
            #expect(otherFolder.status == 1 && otherFolder.errors.contains("files of cursor c"))

            let list = try await run(exports, ["cursors", "list", "--json"])
            #expect(list.output.contains("\"done\" : 3") && list.output.contains("\"state\" : \"idle\""))
            #expect(try await run(exports, ["cursors", "reset", "c"]).output.hasPrefix("set back c: "))
            let earlier = try await run(exports, ["events", "--cursor", "c"] + usual)
            #expect(earlier.status == 1 && earlier.errors.contains("which was set back or deleted"))
            let anew = try await run(
                exports,
                ["events", "--cursor", "c", "--app", "demo", "--output", exports.folder.path + "/new"]
            )
            #expect(anew.status == 0 && anew.errors.contains("3 rows"))
            #expect(try await run(exports, ["cursors", "drop", "c"]).status == 0)
            // A cursor that the refused run left would hold retention where it begins.
            let dropped = try await run(exports, ["events", "--cursor", "c"] + usual)
            #expect(dropped.status == 1 && dropped.errors.contains("which was set back or deleted"))
            #expect(try await ExportCursor.all(exports.pool).isEmpty)
        }
    }

    /// A mistyped folder takes rows from the one that a warehouse is loaded from; a folder a day is meant.
    @Test func aFolderThatLacksWhatWasDeliveredIsNamed() async throws {
        try await ExportsDatabase.with { exports in
            let root = exports.folder
            try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
            func export(_ folder: String) async throws -> String {
                try await exports.append(many: 1)
                let output = root.appendingPathComponent(folder).path
                let result = try await run(exports, ["events", "--cursor", "c", "--app", "demo", "--output", output])
                #expect(result.status == 0, "\(result.errors)")
                return result.errors
            }
            #expect(try await !export("a").contains("is in another folder"))

            // A loader takes files away; the folder stays the cursor's.
            for name in ExportedFolder(url: root.appendingPathComponent("a")).names where name != ".notilog-cursor" {
                try FileManager.default.removeItem(at: root.appendingPathComponent("a/\(name)"))
            }
            let second = try await export("a")
            #expect(second.contains("1 rows, 2 to 2") && !second.contains("is in another folder"), "\(second)")

            let other = try await export("b")
            #expect(
                other.contains("b is new to cursor c") && other.contains("up to 2, is in another folder"),
                "\(other)"
            )
            #expect(other.contains("1 rows, 3 to 3"), "\(other)")
            #expect(try await !export("b").contains("is in another folder"))
            #expect(try await export("a").contains("a has files of cursor c up to 2 only"))
        }
    }

    /// Promise 6: an export goes on after a dump was restored or a replica promoted, as long as nothing delivered was lost.
    @Test func aLogThatMovedGoesOnAndOneThatWentBackIsTold() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let arguments = ["events", "--cursor", "c", "--output", exports.folder.path, "--app", "demo"]
            #expect(try await run(exports, arguments).status == 0)
            try await exports.connection.query("SELECT log.new_incarnation(3, 'promoted')")
            try await exports.append(many: 2)
            #expect(try await run(exports, ["cursors"]).output.contains("log_changed"))
            let moved = try await run(exports, arguments)
            #expect(moved.status == 0 && moved.errors.contains("2 rows"), "\(moved.errors)")
            #expect(try await run(exports, ["cursors"]).output.contains("idle"))
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 5)

            // As a dump of before the second run has it; whether a settler has noted that already or not.
            try await exports.connection.query("UPDATE export.cursor SET done = 3")
            try await exports.append(many: 1)
            for _ in 0..<2 {
                let told = try await run(exports, arguments)
                #expect(told.status == 1 && told.errors.contains("--accept-incarnation"), "\(told.errors)")
                try await exports.connection.query("SELECT log.new_incarnation(3, 'restored')")
            }
            let names = ExportedFolder(url: exports.folder).names
            #expect(try await run(exports, arguments + ["--accept-incarnation"]).status == 0)
            #expect(ExportedFolder(url: exports.folder).names.count == names.count + 2)
            #expect(try await run(exports, arguments).errors.contains("nothing new"))

            // A folder without a trace of the cursor proves nothing.
            try await exports.connection.query("SELECT log.new_incarnation(6, 'restored')")
            let other = Array(arguments.prefix(4)) + [exports.folder.path + "/other", "--app", "demo"]
            let unsure = try await run(exports, other)
            #expect(unsure.status == 1 && unsure.errors.contains("went back in time"), "\(unsure.errors)")
        }
    }

    /// A file of the log that was lost stands where a run of the one that is there would put its own.
    @Test func aFileOfALostLogIsNotTakenForARunOfThisOne() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let arguments = ["events", "--cursor", "c", "--output", exports.folder.path, "--app", "demo"]
            #expect(try await run(exports, arguments).status == 0)
            try await exports.connection.query("UPDATE export.cursor SET done = 0")
            let refused = try await run(exports, arguments + ["--accept-incarnation"])
            #expect(refused.status == 1 && refused.errors.contains("already exists"), "\(refused.errors)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount a small disk"))
    func aFullDiskLeavesNothingUnderAFinalName() async throws {
        try await ExportsDatabase.with { exports in
            let folder = exports.folder.path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let mount = try await NotilogCommand.runProgram(
                "/bin/mount",
                ["-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]
            )
            guard mount.status == 0 else { return }
            do {
                try await exports.append(many: 2000)
                let arguments = ["events", "--cursor", "c", "--app", "demo", "--output", folder]
                let full = try await run(exports, arguments)
                #expect(full.status == 1 && full.errors.contains("free some space"), "\(full.errors)")
                #expect(ExportedFolder(url: exports.folder).names == [".notilog-cursor"])
                // Root may write anywhere but here.
                _ = try await NotilogCommand.runProgram("/bin/mount", ["-o", "remount,ro", folder])
                let unwritable = try await run(exports, arguments)
                #expect(
                    unwritable.status == 1 && unwritable.errors.contains("give this user write permission"),
                    "\(unwritable.errors)"
                )
                _ = try await NotilogCommand.runProgram("/bin/mount", ["-o", "remount,rw", folder])
                // The range is recorded: with room it is taken up, although there is more by now.
                try await exports.append(many: 100)
                _ = try await NotilogCommand.runProgram("/bin/mount", ["-o", "remount,size=16m", folder])
                let taken = try await run(exports, arguments)
                #expect(taken.status == 0 && taken.errors.contains("begun by an earlier run"), "\(taken.errors)")
                #expect(try await run(exports, arguments).status == 0)
                #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 2100)
            } catch {
                _ = try await NotilogCommand.runProgram("/bin/umount", [folder])
                throw error
            }
            _ = try await NotilogCommand.runProgram("/bin/umount", [folder])
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func watchGoesOnUntilItIsTold() async throws {
        try await ExportsDatabase.with { exports in
            try await exports.append(many: 3)
            let process = NotilogCommand.process(
                [
                    "export", "events", "--cursor", "c", "--app", "demo", "--output", exports.folder.path, "--watch",
                    "--every", "1",
                ],
                environment: ["NOTILOG_DATABASE_URL": exports.database.url]
            )
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            let ended: Int32 = try await withThrowingTaskGroup(of: Int32?.self) { group in
                group.addTask {
                    try await withCheckedThrowingContinuation { continuation in
                        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                        do { try process.begin() } catch { continuation.resume(throwing: error) }
                    }
                }
                group.addTask {
                    let folder = ExportedFolder(url: exports.folder)
                    let clock = ContinuousClock()
                    let deadline = clock.now + .seconds(60)
                    func reach(_ rows: Int) async throws {
                        while try folder.manifests.map(\.rows).reduce(0, +) < rows, clock.now < deadline {
                            try await clock.sleep(for: .milliseconds(50))
                        }
                    }
                    try await reach(3)
                    try await exports.append(many: 4)
                    try await reach(7)
                    kill(process.processIdentifier, SIGTERM)
                    return nil
                }
                var status: Int32 = -1
                for try await one in group { status = one ?? status }
                return status
            }
            #expect(ended == 0)
            #expect(try await ExportedFolder(url: exports.folder).checkedLines().count == 7)
        }
    }
}
