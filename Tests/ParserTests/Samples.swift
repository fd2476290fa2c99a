/// Scripts that use every part of the language, to be damaged.
enum Samples {
  static let all = [shop, weather, plumbing, letters]

  static let shop = #"""
    #!/usr/bin/env tenon
    #-bill:<ref>orders rate:<Number>rate
    // Prints what each customer owes.
    class Order : Object {
      var items := #(). var <Number> rate.
      classvar count.
      classvar table := 3.
      -add:<Item>item price:aPrice { items += #{ item: item, price: aPrice }. ^self }
      -<Number>total {
        | sum |
        sum := 0.
        items do: [ :each | sum := sum + each['price'] ].
        ^sum * (1 + ivar:rate)
      }
      -<Boolean> < other { ^self total < other total }
      +rate:aRate { ^self new rate: aRate; yourself }
      /items/:index { get { items[index] } put { items[index] := newValue } }
      ivar:rate |= var:standard-rate.
    }
    standard-rate := 0.19s2.
    open-orders := (ref:file:orders/{name}.json) value.
    open-orders[{ total >= 100 & paid not }] | sorted: [ :a :b | a < b ]; reverse | do: {
      stdout println: "{$0 name asUppercase}: {$0 total | rounded} \u{20AC}\n"
    }.
    """#

  static let weather = #"""
    place := env:CITY ifNil: [ 'Kiel' ].
    report := http://weather.example:8080/v1/{place}?units=si&days={3 + 4}.
    high =|= low =|= report.
    file:{*parts}/../log.txt += report at: #temperature ifAbsent: [ ^nil ].
    fahrenheit |= celsius * 9 / 5 + 32 | rounded.
    (fahrenheit >=| -459.67) strength: #required.
    codes := #(16rFF 0b101 -1e3 2.5e-3 $a $' #at:put: #+ 'it''s' true #[1 2 255]).
    pairs := #{ 'a': 1, b-c: x, Content-Type: ("text" , '/plain'), 3: y, (4 + 5): z }.
    ok := a ≤ b && [ c ≠ d ] || (e ~= f).
    ^codes collect + 1, [ :x || t | t := x. t negated ]
    """#

  static let plumbing = #"""
    scheme Clock : Scheme {
      /now { |= { DateTime now } } / { get { #(#now) } } /*:rest { delete { } }
    }
    filter loud |{ ^object , '!' }
    filter numbered : Filter { var n := 0. |{ n := n + 1. ^"{n}: {object}" } }
    protocol Speaks { -speak. -say:what to:whom. +<Speaks>make. }
    object Big : #Button{ size: 20, frame: #Rect{ x: 1, y: 2 }, }
    group memory-model { celsius -> ivar:c. fahrenheit -> self f value. first → list[1]. }
    connector ~> : DataflowConnector { -connect:left to:right { ^left => right } }
    extension String { - % arguments { ^self format: arguments } }
    stdin: lines → [ :line | line trimmed ] -> loud -> file:out.
    memory-model := defaults:model. a ~> b ~> c
    """#

  static let letters = """
    größe := 3. 名前 := 'ü'. // Umlaute
    -é:à { ^à ∪ größe × 2 }
    x\u{A0}:=\u{3000}#'ключ'.
    "ß {名前} 😀" size. $é < $名.
    """
}
