/// A date of the proleptic Gregorian calendar, without Foundation, so that no locale or time zone of the machine takes part.
struct CivilDate: Equatable {
    var year: Int
    var month: Int
    var day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The date that lies `dayNumber` days after 1970-01-01.
    init(dayNumber: Int) {
        // Years begin in March here, so that the leap day is the last of its year and months follow one formula.
        let shifted = dayNumber + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01.
    var dayNumber: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = floorDivide(marchYear, 400)
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day of the week of a day number: 0 is Sunday.
    static func weekday(dayNumber: Int) -> Int {
        let remainder = (dayNumber + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }

    /// The day number of the `ordinal`th Sunday (from 1) of a month, or of its last where `ordinal` is 0.
    static func sunday(_ ordinal: Int, year: Int, month: Int) -> Int {
        if ordinal > 0 {
            let first = CivilDate(year: year, month: month, day: 1).dayNumber
            return first + (7 - weekday(dayNumber: first)) % 7 + (ordinal - 1) * 7
        }
        let next = CivilDate(year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1).dayNumber
        return next - 1 - weekday(dayNumber: next - 1)
    }
}

/// Division that rounds towards minus infinity, for a positive divisor.
func floorDivide<Number: BinaryInteger>(_ dividend: Number, _ divisor: Number) -> Number {
    let quotient = dividend / divisor
    return dividend % divisor < 0 ? quotient - 1 : quotient
}
