import Foundation

// engine-spike ARM SCHEMA BATCH CACHE EVENTS: runs one arm over the log, and prints what it cost as JSON.

let sessionSettings = [
    "search_path": "projection, log, pg_catalog, pg_temp", "synchronous_commit": "off", "jit": "off",
    "work_mem": "'64MB'",
    "temp_buffers": "'64MB'", "max_parallel_workers_per_gather": "0", "client_min_messages": "warning",
]

struct Result: Encodable {
    var events: Int64
    var batches: Int
    var parts: [String: Profile.Part]
    var loadedRows = 0
    var loadedPeriods = 0
    var heldBytes = 0
    var residentKiB = 0
}

func residentKiB() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM") {
        return Int(line.filter(\.isNumber)) ?? 0
    }
    return 0
}

func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 6, let batch = Int64(arguments[3]), let events = Int64(arguments[5]) else {
        throw Failure(description: "engine-spike sql|fold SCHEMA BATCH cold|BYTES EVENTS")
    }
    let schema = arguments[2]
    var settings = sessionSettings
    if arguments[1] == "fold" {
        // Every statement but the first looks up by index, whatever the planner believes; none is planned twice.
        for name in ["enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_bitmapscan"] {
            settings[name] = "off"
        }
        settings["plan_cache_mode"] = "force_generic_plan"
    } else {
        settings["search_path"] = "\(schema), projection, log, pg_catalog, pg_temp"
    }
    let session = try Session(settings: settings)
    let tables = ["notification", "notification_action", "device_period", "engagement", "engagement_latency"]
    let arm =
        arguments[1] == "fold"
        ? try FoldArm(
            session: session,
            schema: schema,
            cache: arguments[4] == "cold" ? .cold : .bytes(Int(arguments[4]) ?? 0)
        ) : nil
    var profile = Profile(session)
    var position: Int64 = 0
    var batches = 0
    var analyzedAt = events / 20
    var unfinished = false
    while position < events || unfinished {
        let end = min(events, position + batch)
        try session.run("BEGIN")
        if let arm {
            try arm.apply(after: position, upTo: end, profile: &profile)
            unfinished = arm.hasSlices
        } else {
            for member in ["device_period", "category", "notification", "engagement"] {
                try session.query("SELECT \(member)_apply($1, $2)", [.integer(position), .integer(end)])
                profile.end(member)
            }
            unfinished = try session.query("SELECT FROM category_walk").count > 0
        }
        try session.run("COMMIT")
        profile.end("commit")
        position = end
        batches += 1
        if position >= analyzedAt, position < events {
            // Statistics, as autovacuum would gather them in all arms alike: not counted.
            for table in tables { try session.run("ANALYZE \(schema).\(table)") }
            analyzedAt *= 4
            profile.skip()
        }
    }
    let result = Result(
        events: events,
        batches: batches,
        parts: profile.parts,
        loadedRows: arm?.loadedRows ?? 0,
        loadedPeriods: arm?.loadedPeriods ?? 0,
        heldBytes: arm?.heldBytes ?? 0,
        residentKiB: residentKiB()
    )
    print(String(decoding: try JSONEncoder().encode(result), as: UTF8.self))
}

do {
    try run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
