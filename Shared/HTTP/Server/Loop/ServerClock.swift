import Foundation

/// The time of the loop; the text of the date is made once a second.
struct ServerClock {
    private var date = HTTPDate(secondsSince1970: 0)

    mutating func now() -> Moment {
        let seconds = Int64(time(nil))
        if seconds != date.secondsSince1970 { date = HTTPDate(secondsSince1970: seconds) }
        return Moment(instant: .now, date: date)
    }
}

/// The time of an input to a connection: for deadlines, and as the value of the Date field.
struct Moment {
    var instant: MonotonicTime
    let date: HTTPDate
}
