import Settings

/// The limits at which `notilog doctor` warns.
struct DoctorSettings: Sendable {
    /// Free space on the database's disk, in GiB.
    let freeGigabytes: Int
    /// How long a session may be idle in a transaction, in seconds.
    let idleSeconds: Int

    /// Reads the settings.
    init(_ settings: SettingsReader) {
        freeGigabytes = settings.integer(
            "doctor.free_gb",
            default: 5,
            atLeast: 0,
            atMost: 1_000_000_000,
            "free space on the database's disk below which `notilog doctor` warns"
        )
        idleSeconds = settings.integer(
            "doctor.idle_seconds",
            default: 30,
            atLeast: 0,
            atMost: 86_400,
            "how long a session may be idle in a transaction before `notilog doctor` warns"
        )
    }
}
