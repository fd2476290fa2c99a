internal import TenonText

extension Primitive {
  static let dateClass: [Primitive] = [
    Primitive("plainFieldsOf: aString", "Day number, year, month, day of 2026-11-21; or nil.") {
      machine, arguments in
      guard machine.isString(arguments[0]),
        let text = PlainDateText(ObjectRef(arguments[0]).utf8), text.time == nil
      else { return .nil }
      return machine.makeArray(
        [text.dayNumber, text.year, text.month, text.day].map { Value(small: $0) })
    }
  ]

  static let dateTimeClass: [Primitive] = [
    Primitive(
      "plainFieldsOf: aString",
      "Day number, nanoseconds, offset of 2026-11-21T18:42:40+01:00; or nil."
    ) { machine, arguments in
      guard machine.isString(arguments[0]),
        let text = PlainDateText(ObjectRef(arguments[0]).utf8), let time = text.time
      else { return .nil }
      return machine.makeArray(
        [text.dayNumber, time.nanoseconds, time.offset].map { Value(small: $0) })
    }
  ]
}
