#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Jobs that wait for a connection's thread.
///
/// The thread holds this queue, not the executor, so that the executor's end (with its actor) can tell the thread to
/// stop, even when that end comes inside the last job.
final class JobQueue: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let wakeUp = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
    private var head = 0
    private var stopped = false

    init() {
        mutex.initialize(to: pthread_mutex_t())
        wakeUp.initialize(to: pthread_cond_t())
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(wakeUp, nil)
    }

    deinit {
        pthread_cond_destroy(wakeUp)
        pthread_mutex_destroy(mutex)
        wakeUp.deallocate()
        mutex.deallocate()
    }

    func push(_ job: UnownedJob, _ executor: UnownedSerialExecutor) {
        pthread_mutex_lock(mutex)
        jobs.append((job, executor))
        pthread_cond_signal(wakeUp)
        pthread_mutex_unlock(mutex)
    }

    /// Ends the thread once the jobs pushed so far have run.
    func stop() {
        pthread_mutex_lock(mutex)
        stopped = true
        pthread_cond_signal(wakeUp)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for the next job; nil when the queue was stopped and is empty.
    func next() -> (UnownedJob, UnownedSerialExecutor)? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while head == jobs.count {
            jobs.removeAll(keepingCapacity: true)
            head = 0
            if stopped { return nil }
            pthread_cond_wait(wakeUp, mutex)
        }
        defer { head += 1 }
        return jobs[head]
    }
}
