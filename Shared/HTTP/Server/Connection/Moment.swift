/// The time of an input to a connection: for deadlines, and as the value of the Date field.
struct Moment: Hashable {
    let instant: ContinuousClock.Instant
    let date: HTTPDate
}
