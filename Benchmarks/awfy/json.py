# Json: a parser by recursive descent that goes through a text character by character. The text is
# a message to a user interface, about 25 kB of nested arrays and objects that a fixed seed
# determines. The size is how often the text is parsed; each result is looked at.
import sys


class Random:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed

    def below(self, limit):
        return self.next() % limit

    def of(self, choices):
        return choices[self.below(len(choices))]


TYPES = ["Composite", "Label", "Button", "Text", "ScrollBar"]
STYLES = ["NONE", "FLAT", "HORIZONTAL"]
WORDS = ["To the end of the line", r"Name and \"first name\"", r"a\\b", r"caf\u00e9", r"line\nline",
         "Ok", ""]
FLAGS = ["true", "false", "null"]


class MessageWriter:
    """Writes the text: operations on widgets that are known by number."""

    def __init__(self):
        self.out = []
        self.random = Random()

    def write(self, text):
        self.out.append(text)

    def flag(self):
        return self.random.of(FLAGS)

    def create(self, id):
        random = self.random
        self.write(f'["create","w{id}","rwt.widgets.{random.of(TYPES)}",'
                   f'{{"parent":"w{random.below(id)}","style":["{random.of(STYLES)}"],'
                   f'"bounds":[{random.below(100)},{random.below(100)},'
                   f'{random.below(1000)},{random.below(1000)}],'
                   f'"tabIndex":-1,"visible":{self.flag()},"opacity":0.{random.below(100)},'
                   f'"customVariant":{self.flag()}}}]')

    def set(self, id):
        random = self.random
        self.write(f'["set","w{id}", {{"text":"{random.of(WORDS)}",'
                   f'"background":[{random.below(256)},{random.below(256)},{random.below(256)},'
                   f'255],"font":[["Verdana","Lucida Sans","sans-serif"],{random.below(20)},'
                   f'{self.flag()},false],"scale":{random.below(10)}e-2}}]')

    def listen(self, id):
        self.write(f'["listen","w{id}",{{"Selection":{self.flag()}, "MouseDown":{self.flag()}, '
                   f'"FocusIn":{self.flag()}}}]')

    def call(self, id):
        random = self.random
        self.write(f'["call","w{id}","measureStrings",{{"items":[')
        for i in range(1, random.below(4) + 2):
            if i > 1:
                self.write(", ")
            self.write(f'["p{i}","{random.of(WORDS)}",{random.below(500)}.5]')
        self.write("]}]")

    def destroy(self, id):
        self.write(f'["destroy","w{id}"]')

    def operation(self, id):
        kind = self.random.below(8)
        if kind < 4:
            self.create(id)
        elif kind < 6:
            self.set(id)
        elif kind == 6:
            self.call(id)
        elif id % 2 == 1:
            self.listen(id)
        else:
            self.destroy(id)

    def text(self):
        self.write('{"head":{"requestCounter":4,"uiRoot":"w1"},"operations":[\n')
        for id in range(1, 176):
            if id > 1:
                self.write(",\n")
            self.operation(id)
        self.write("\n]}\n")
        return "".join(self.out)


class JsonValue:
    def is_object(self):
        return False

    def is_array(self):
        return False

    def count(self):
        """How many values it consists of, itself included."""
        return 1


class JsonLiteral(JsonValue):
    def __init__(self, text):
        self.text = text


class JsonNumber(JsonValue):
    def __init__(self, text):
        self.text = text


class JsonString(JsonValue):
    def __init__(self, text):
        self.text = text


class JsonArray(JsonValue):
    def __init__(self):
        self.elements = []

    def is_array(self):
        return True

    def size(self):
        return len(self.elements)

    def add(self, value):
        self.elements.append(value)

    def count(self):
        return 1 + sum(each.count() for each in self.elements)


class JsonObject(JsonValue):
    def __init__(self):
        self.members = {}

    def is_object(self):
        return True

    def at(self, name):
        return self.members[name]

    def put(self, name, value):
        self.members[name] = value

    def count(self):
        return 1 + sum(each.count() for each in self.members.values())


class JsonParser:
    def __init__(self, text):
        self.text = text
        self.index = -1
        self.line = 1
        self.column = 0
        self.current = None
        self.start = None
        self.captured = None

    def parse(self):
        self.read()
        self.skip_space()
        value = self.read_value()
        self.skip_space()
        if self.current is not None:
            self.fail("the end of the text")
        return value

    def read_value(self):
        current = self.current
        if current == '"':
            return JsonString(self.read_string())
        if current == "[":
            return self.read_array()
        if current == "{":
            return self.read_object()
        if current == "n":
            return self.read_literal("null")
        if current == "t":
            return self.read_literal("true")
        if current == "f":
            return self.read_literal("false")
        if current == "-" or self.is_digit():
            return self.read_number()
        self.fail("a value")

    def read_array(self):
        array = JsonArray()
        self.read()
        self.skip_space()
        if self.read_if("]"):
            return array
        while True:
            self.skip_space()
            array.add(self.read_value())
            self.skip_space()
            if not self.read_if(","):
                break
        self.require("]")
        return array

    def read_object(self):
        result = JsonObject()
        self.read()
        self.skip_space()
        if self.read_if("}"):
            return result
        while True:
            self.skip_space()
            if self.current != '"':
                self.fail("a name")
            name = self.read_string()
            self.skip_space()
            self.require(":")
            self.skip_space()
            result.put(name, self.read_value())
            self.skip_space()
            if not self.read_if(","):
                break
        self.require("}")
        return result

    def read_literal(self, word):
        for each in word:
            self.require(each)
        return JsonLiteral(word)

    def read_string(self):
        self.read()
        self.begin_capture()
        while self.current != '"':
            if self.current is None or self.current < " ":
                self.fail("a character")
            if self.current == "\\":
                self.pause_capture()
                self.captured = self.captured + self.read_escape()
                self.start = self.index
            else:
                self.read()
        self.pause_capture()
        self.read()
        return self.captured

    def read_escape(self):
        self.read()
        escaped = self.current
        self.read()
        if escaped == "n":
            return "\n"
        if escaped == "r":
            return "\r"
        if escaped == "t":
            return "\t"
        if escaped == "b":
            return "\b"
        if escaped == "f":
            return "\f"
        if escaped == "u":
            return self.read_unicode()
        if escaped != '"' and escaped != "\\" and escaped != "/":
            self.fail("an escape sequence")
        return escaped

    def read_unicode(self):
        code = 0
        for _ in range(4):
            if self.current is None or self.current not in "0123456789abcdefABCDEF":
                self.fail("a hexadecimal digit")
            code = code * 16 + int(self.current, 16)
            self.read()
        return chr(code)

    def read_number(self):
        self.begin_capture()
        self.read_if("-")
        if not self.read_if("0"):
            self.read_digits()
        if self.read_if("."):
            self.read_digits()
        if self.read_if("e") or self.read_if("E"):
            if not self.read_if("+"):
                self.read_if("-")
            self.read_digits()
        self.pause_capture()
        return JsonNumber(self.captured)

    def read_digits(self):
        if not self.is_digit():
            self.fail("a digit")
        while self.is_digit():
            self.read()

    def is_digit(self):
        return self.current is not None and "0" <= self.current <= "9"

    def is_space(self):
        current = self.current
        return current == " " or current == "\n" or current == "\r" or current == "\t"

    def skip_space(self):
        while self.is_space():
            self.read()

    def begin_capture(self):
        self.captured = ""
        self.start = self.index

    def pause_capture(self):
        self.captured = self.captured + self.text[self.start:self.index]

    def read_if(self, character):
        if self.current != character:
            return False
        self.read()
        return True

    def require(self, character):
        if not self.read_if(character):
            self.fail(character)

    def read(self):
        if self.current == "\n":
            self.line += 1
            self.column = 0
        self.index += 1
        self.column += 1
        self.current = self.text[self.index] if self.index < len(self.text) else None

    def fail(self, expected):
        raise Exception(f"{self.line}:{self.column}: expected {expected}")


def is_right(message):
    if not (message.is_object() and message.at("head").is_object()):
        return False
    operations = message.at("operations")
    return operations.is_array() and operations.size() == 175


text = MessageWriter().text()
for _ in range(int(sys.argv[1])):
    message = JsonParser(text).parse()
    if not is_right(message):
        raise Exception("json: a wrong result")
print(f"json: {len(text)} {message.count()}")
