import Administration
import Postgres
import Schema

extension Examination {
    /// The privileges of the login and of Notilog's roles.
    func rights(_ pool: Pool, _ facts: Diagnosis) async throws -> [Finding] {
        let session = try await pool.withConnection { try await SessionRoles.find(on: $0) }
        let isSuperuser: Bool = try await pool.query("SELECT rolsuper FROM pg_roles WHERE rolname = session_user")
            .only().get(0)
        let findings = [
            login(session, isSuperuser: isSuperuser),
            rights(
                "grants",
                wrong: facts.missingRights,
                "run `notilog migrate` with a login that is a member of \(Role.owner), or sql/roles.sql as a superuser",
                ok: "the roles have the privileges that they need"
            ),
            rights(
                "append_only",
                wrong: facts.superfluousRights,
                "REVOKE it; `notilog migrate` restores row security",
                ok: "only the owner may change the log"
            ),
        ]
        return findings + readers(facts)
    }

    private func rights(_ check: String, wrong: [String], _ advice: String, ok: String) -> Finding {
        guard let first = wrong.first else { return .ok(check, ok) }
        return .fail(check, first + (wrong.count > 1 ? ", and \(wrong.count - 1) more" : ""), advice)
    }

    private func login(_ session: SessionRoles, isSuperuser: Bool) -> Finding {
        let login = session.login
        let wanted = Role.ofService.map(\.rawValue).joined(separator: ", ")
        let advice = "CREATE ROLE notilog LOGIN PASSWORD '…' IN ROLE \(wanted), and let `notilog serve` use it"
        if isSuperuser { return .warn("privileges", "\(login) is a superuser", advice) }
        if session.roles.contains(.owner) {
            return .warn("privileges", "\(login) has all privileges of the log's owner", advice)
        }
        let missing = Role.ofService.filter { !session.roles.contains($0) }.map(\.rawValue)
        guard missing.isEmpty else {
            return .fail(
                "privileges",
                "\(login) may not serve: it is not a member of \(missing.joined(separator: " and "))",
                "GRANT \(missing.joined(separator: ", ")) TO \(login), or use the service's login"
            )
        }
        return .ok("privileges", "\(login) may serve, and no more")
    }

    private func readers(_ facts: Diagnosis) -> [Finding] {
        let storing = Finding.warn(
            "readers",
            "readers may fill the disk with large objects and logical messages, as everybody may",
            "run `notilog migrate` as a superuser, which revokes that in this database"
        )
        return (facts.readersStore ? [storing] : [])
            + facts.readers.compactMap { reader in
                if !reader.exists {
                    return .warn(
                        "readers",
                        "\(reader.role) has a grant to an app but does not exist",
                        "revoke it with `notilog apps revoke`, before a role of that name is created"
                    )
                }
                return reader.isUnbound
                    ? .warn(
                        "readers",
                        "\(reader.role) sees every app: row security does not restrict superusers, BYPASSRLS and the service's roles",
                        "give readers a login that is a member of \(Role.reader) alone"
                    ) : nil
            }
    }

    /// Apps and their keys, and the secret by which they hash their ids.
    func keys(_ pool: Pool, _ apps: [Diagnosis.App]) async throws -> [Finding] {
        guard !apps.isEmpty else { return [.warn("keys", "there is no app", "create one with `notilog apps create`")] }
        let administration = Administration(pool)
        let ids = try await administration.verified(IDHashing(settings.reader))
        var findings: [Finding] = []
        for app in apps {
            if app.scopes.isEmpty {
                findings.append(
                    .warn("keys", "\(app.name) has no key", "run `notilog keys create --app \(app.name) --scope write`")
                )
            } else if app.scopes == ["admin"] {
                findings.append(
                    .warn(
                        "keys",
                        "\(app.name) has only keys of scope admin",
                        "a key in an app can be extracted: give apps a key of scope write, senders provider, dashboards read"
                    )
                )
            }
            if app.hashIds, !ids.isAvailable {
                findings.append(
                    .fail(
                        "keys",
                        ids.isOfAnotherSecret
                            ? "\(app.name) stores ids as keyed hashes, but of another id_hash_secret"
                            : "\(app.name) stores ids as keyed hashes, but id_hash_secret is not set",
                        ids.isOfAnotherSecret
                            ? Self.firstSecret : "set NOTILOG_ID_HASH_SECRET, the same for every instance"
                    )
                )
            }
        }
        let areHashed = apps.contains(where: \.hashIds)
        if !areHashed, try await administration.lacksSecretOfEarlierIDs(ids) {
            findings.append(
                .fail(
                    "keys",
                    ids.isOfAnotherSecret
                        ? "erasures are refused: ids were hashed with another id_hash_secret"
                        : "erasures are refused: ids were hashed, and id_hash_secret is not set",
                    Self.firstSecret
                )
            )
        }
        return findings.isEmpty
            ? [.ok("keys", "\(apps.count) app\(apps.count == 1 ? "" : "s"), each with keys")] : findings
    }

    private static let firstSecret =
        "set NOTILOG_ID_HASH_SECRET to the first one; if nothing was hashed with that, DELETE FROM notilog.id_hash_secret"
}
