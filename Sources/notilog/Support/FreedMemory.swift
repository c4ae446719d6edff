import CMalloc

/// Memory that was freed, of which the C library keeps some for what is allocated next.
enum FreedMemory {
    /// Gives the largest blocks back to the system as they are freed, such as what a large body is decoded into: else each burst of them
    /// leaves more. With less than some MiB, ingest pays for new pages with every batch: at 128 KiB two fifths of its rate.
    static func returnsToSystem() {
        notilog_set_malloc_thresholds(4 << 20, 16 << 20)
    }
}
