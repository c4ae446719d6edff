/// The number of a byte string in a ``SymbolTable``: names are compared and hashed as numbers.
///
/// It means something together with its table alone, for as long as the table lives.
package struct Symbol: Hashable, Sendable {
    let number: UInt32

    /// Stands for no string: SQL's NULL.
    package static let none = Symbol(number: .max)
    /// The empty string, in every table.
    package static let empty = Symbol(number: 0)

    /// The empty string in place of none, as the keys of rollups have it.
    package var orEmpty: Symbol { self == .none ? .empty : self }
}
