#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A serial executor with one thread of its own.
///
/// libpq blocks while it waits for the server. Were a connection's actor run by the cooperative pool, as many busy
/// connections as there are cores would stop every other task of the process; here each waits on a thread that
/// nobody else needs.
package final class ThreadExecutor: SerialExecutor {
    private let queue = JobQueue()

    package init() {
        let context = Unmanaged.passRetained(queue)
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        // libpq and the decoding of results need little; the default of 8 MiB would be counted against each connection.
        pthread_attr_setstacksize(&attributes, 1 << 20)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let result = pthread_create(&thread, &attributes, threadMain, context.toOpaque())
        pthread_attr_destroy(&attributes)
        precondition(result == 0, "no thread could be made for a database connection (errno \(result))")
    }

    deinit {
        queue.stop()
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        queue.push(UnownedJob(job), asUnownedSerialExecutor())
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}

#if canImport(Darwin)
    private func threadMain(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        runThread(argument)
        return nil
    }
#else
    private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let argument { runThread(argument) }
        return nil
    }
#endif

private func runThread(_ argument: UnsafeMutableRawPointer) {
    let queue = Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue()
    while let (job, executor) = queue.next() {
        job.runSynchronously(on: executor)
    }
}
