import Testing

@testable import OrchardHTTPServer

@Suite struct WaitingListTests {
    /// Every order of taking four away, compared with an array.
    @Test func itIsAnArrayFromWhichAnybodyMayLeave() {
        for leaving in permutations([3, 0, 7, 5]) {
            var list = WaitingList()
            var model: [Int32] = [3, 0, 7, 5]
            for descriptor in model { list.append(descriptor) }
            for descriptor in leaving {
                list.remove(descriptor)
                list.remove(descriptor)
                model.removeAll { $0 == descriptor }
                #expect(list.first == model.first)
                #expect(!list.contains(descriptor))
            }
            list.append(9)
            #expect(list.first == 9)
        }
    }

    @Test func whoWaitsAlreadyKeepsItsPlace() {
        var list = WaitingList()
        for descriptor in [1, 2, 1] as [Int32] { list.append(descriptor) }
        list.remove(1)
        #expect(list.first == 2)
    }

    private func permutations(_ values: [Int32]) -> [[Int32]] {
        guard let first = values.first else { return [[]] }
        return permutations(Array(values.dropFirst())).flatMap { rest in
            (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
        }
    }
}
