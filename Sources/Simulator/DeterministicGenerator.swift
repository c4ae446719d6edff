/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): eight bytes of state a device, and
/// the same numbers on every machine.
struct DeterministicGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A generator of its own for one member of a family, unrelated to its neighbours'.
    init(seed: UInt64, member: UInt64) {
        state = Self.mix(Self.mix(seed &+ 0x9E37_79B9_7F4A_7C15) ^ Self.mix(member &+ 0xD1B5_4A32_D192_ED03))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    /// A bijection that scatters neighbouring numbers.
    static func mix(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
