# A small functional language: a tokenizer that looks at one character at a time, a
# recursive-descent parser that makes a tree of nodes, and nodes that evaluate themselves. Each
# turn runs a program of recursive functions and a random expression whose value is known from its
# making. The size is the number of turns.
import sys

sys.setrecursionlimit(10000)


class Generator:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed

    def up_to(self, limit):
        return self.next() * limit // 65536 + 1


class Token:
    def __init__(self, kind, text, position):
        self.kind = kind
        self.text = text
        self.position = position

    def is_(self, text):
        return self.text == text


class Tokenizer:
    keywords = {'def', 'let', 'in', 'if', 'then', 'else'}

    def __init__(self, source):
        self.source = source
        self.position = 0

    def peek(self):
        return self.source[self.position:self.position + 1]

    def text_while(self, test):
        start = self.position
        while test(self.peek()):
            self.position += 1
        return self.source[start:self.position]

    def next(self):
        self.text_while(str.isspace)
        start = self.position
        character = self.peek()
        if not character:
            return Token('end', 'the end', start)
        if character.isdigit():
            return Token('number', self.text_while(str.isdigit), start)
        if character.isalpha():
            text = self.text_while(str.isalpha)
            return Token('keyword' if text in self.keywords else 'name', text, start)
        self.position += 1
        return Token('sign', character, start)


class Scope:
    def __init__(self, parent=None):
        self.parent = parent
        self.values = {}

    def at(self, name):
        if name in self.values:
            return self.values[name]
        return self.look_up(name)

    def look_up(self, name):
        if self.parent is None:
            raise NameError('unknown: ' + name)
        return self.parent.at(name)

    def put(self, name, value):
        self.values[name] = value


class Function:
    def __init__(self, parameters, body, scope):
        self.parameters = parameters
        self.body = body
        self.scope = scope

    def call(self, arguments):
        inner = Scope(self.scope)
        for name, value in zip(self.parameters, arguments):
            inner.put(name, value)
        return self.body.value(inner)


class Node:
    def value(self, scope):
        raise NotImplementedError


class NumberNode(Node):
    def __init__(self, number):
        self.number = number

    def value(self, scope):
        return self.number


class NameNode(Node):
    def __init__(self, name):
        self.name = name

    def value(self, scope):
        return scope.at(self.name)


class NegationNode(Node):
    def __init__(self, operand):
        self.operand = operand

    def value(self, scope):
        return -self.operand.value(scope)


class BinaryNode(Node):
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def value(self, scope):
        return self.combine(self.left.value(scope), self.right.value(scope))


class SumNode(BinaryNode):
    def combine(self, a, b):
        return a + b


class DifferenceNode(BinaryNode):
    def combine(self, a, b):
        return a - b


class ProductNode(BinaryNode):
    def combine(self, a, b):
        return a * b


class QuotientNode(BinaryNode):
    def combine(self, a, b):
        return a // b


class RemainderNode(BinaryNode):
    def combine(self, a, b):
        return a % b


class LessNode(BinaryNode):
    def combine(self, a, b):
        return a < b


class EqualNode(BinaryNode):
    def combine(self, a, b):
        return a == b


class ConditionalNode(Node):
    def __init__(self, condition, yes, no):
        self.condition = condition
        self.yes = yes
        self.no = no

    def value(self, scope):
        return self.yes.value(scope) if self.condition.value(scope) else self.no.value(scope)


class LetNode(Node):
    def __init__(self, name, bound, body):
        self.name = name
        self.bound = bound
        self.body = body

    def value(self, scope):
        inner = Scope(scope)
        inner.put(self.name, self.bound.value(scope))
        return self.body.value(inner)


class CallNode(Node):
    def __init__(self, name, arguments):
        self.name = name
        self.arguments = arguments

    def value(self, scope):
        return scope.at(self.name).call([each.value(scope) for each in self.arguments])


class DefinitionNode(Node):
    def __init__(self, name, parameters, body):
        self.name = name
        self.parameters = parameters
        self.body = body

    def value(self, scope):
        scope.put(self.name, Function(self.parameters, self.body, scope))


class ProgramNode(Node):
    def __init__(self, definitions, expression):
        self.definitions = definitions
        self.expression = expression

    def value(self, scope):
        for each in self.definitions:
            each.value(scope)
        return self.expression.value(scope)


# program = { definition } expression end
# definition = 'def' name '(' [ name { ',' name } ] ')' '=' expression ';'
# expression = 'if' expression 'then' expression 'else' expression
#   | 'let' name '=' expression 'in' expression | comparison
# comparison = sum [ ('<' | '=') sum ]
# sum = product { ('+' | '-') product }
# product = factor { ('*' | '/' | '%') factor }
# factor = number | name [ '(' [ expression { ',' expression } ] ')' ] | '-' factor
#   | '(' expression ')'
class Parser:
    comparisons = {'<': LessNode, '=': EqualNode}
    sums = {'+': SumNode, '-': DifferenceNode}
    products = {'*': ProductNode, '/': QuotientNode, '%': RemainderNode}

    def __init__(self, source):
        self.tokenizer = Tokenizer(source)
        self.token = None
        self.advance()

    @classmethod
    def parse(cls, source):
        return cls(source).program()

    def advance(self):
        last = self.token
        self.token = self.tokenizer.next()
        return last

    def fail(self, expected):
        raise SyntaxError(f'{expected} expected, not {self.token.text}, at {self.token.position}')

    def match(self, text):
        if not self.token.is_(text):
            return False
        self.advance()
        return True

    def expect(self, text):
        if not self.match(text):
            self.fail(text)

    def name(self):
        if self.token.kind != 'name':
            self.fail('a name')
        return self.advance().text

    def program(self):
        definitions = []
        while self.match('def'):
            definitions.append(self.definition())
        program = ProgramNode(definitions, self.expression())
        if self.token.kind != 'end':
            self.fail('the end')
        return program

    def list(self, element):
        result = []
        self.expect('(')
        if self.match(')'):
            return result
        result.append(element())
        while self.match(','):
            result.append(element())
        self.expect(')')
        return result

    def definition(self):
        name = self.name()
        parameters = self.list(self.name)
        self.expect('=')
        body = self.expression()
        self.expect(';')
        return DefinitionNode(name, parameters, body)

    def expression(self):
        if self.match('if'):
            return self.conditional()
        if self.match('let'):
            return self.let()
        return self.comparison()

    def conditional(self):
        condition = self.expression()
        self.expect('then')
        yes = self.expression()
        self.expect('else')
        return ConditionalNode(condition, yes, self.expression())

    def let(self):
        name = self.name()
        self.expect('=')
        value = self.expression()
        self.expect('in')
        return LetNode(name, value, self.expression())

    def operator(self, operators):
        if self.token.kind != 'sign':
            return None
        node = operators.get(self.token.text)
        if node:
            self.advance()
        return node

    def comparison(self):
        left = self.sum()
        node = self.operator(self.comparisons)
        if not node:
            return left
        return node(left, self.sum())

    def chain(self, operators, operand):
        left = operand()
        while node := self.operator(operators):
            left = node(left, operand())
        return left

    def sum(self):
        return self.chain(self.sums, self.product)

    def product(self):
        return self.chain(self.products, self.factor)

    def factor(self):
        if self.token.kind == 'number':
            return NumberNode(int(self.advance().text))
        if self.token.kind == 'name':
            return self.reference()
        if self.match('-'):
            return NegationNode(self.factor())
        if not self.match('('):
            self.fail('an operand')
        inner = self.expression()
        self.expect(')')
        return inner

    def reference(self):
        name = self.name()
        if not self.token.is_('('):
            return NameNode(name)
        return CallNode(name, self.list(self.expression))


class ExpressionWriter:
    """Writes a random expression; what the methods return is its value."""

    signs = [' + ', ' - ', ' * ', ' / ', ' % ']

    def __init__(self, generator):
        self.generator = generator
        self.parts = []

    def write(self, text):
        self.parts.append(text)

    def expression(self, depth):
        if depth == 0:
            return self.number()
        choice = self.generator.up_to(7)
        if choice == 6:
            self.write('(-')
            value = self.expression(depth - 1)
            self.write(')')
            return -value
        if choice == 7:
            return self.conditional(depth)
        self.write('((')
        left = self.expression(depth - 1)
        self.write(self.signs[choice - 1])
        right = self.number() if choice >= 4 else self.expression(depth - 1)
        self.write(') % 10007)')
        if choice == 1:
            return (left + right) % 10007
        if choice == 2:
            return (left - right) % 10007
        if choice == 3:
            return left * right % 10007
        if choice == 4:
            return left // right % 10007
        return left % right % 10007

    def number(self):
        number = self.generator.up_to(1000)
        self.write(str(number))
        return number

    def conditional(self, depth):
        self.write('(if ')
        a = self.expression(depth - 1)
        self.write(' < ')
        b = self.number()
        self.write(' then ')
        yes = self.expression(depth - 1)
        self.write(' else ')
        no = self.expression(depth - 1)
        self.write(')')
        return yes if a < b else no


FUNCTIONS = '''\
def fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
def gcd(a, b) = if b = 0 then a else gcd(b, a % b);
def collatz(n) =
  if n = 1 then 0 else 1 + (if n % 2 = 0 then collatz(n / 2) else collatz(3 * n + 1));
def power(base, exponent, modulus) =
  if exponent = 0 then 1
  else let half = power(base, exponent / 2, modulus) in
    let square = half * half % modulus in
      if exponent % 2 = 0 then square else square * base % modulus;
def divides(d, n) = n % d = 0;
def prime(n, d) = if n < d * d then 1 else if divides(d, n) then 0 else prime(n, d + 1);
def primes(n) = if n < 2 then 0 else primes(n - 1) + prime(n, 2);
'''


def check(text, expected):
    value = Parser.parse(FUNCTIONS + text).value(Scope())
    if value != expected:
        raise ValueError(f'{text} is {value}, not {expected}')
    return value


def check_random(generator):
    writer = ExpressionWriter(generator)
    expected = writer.expression(7)
    return check(''.join(writer.parts), expected)


def run(turns):
    generator = Generator()
    total = 0
    for _ in range(turns):
        check('fib(11) + primes(60)', 89 + 17)
        check('collatz(27) - gcd(1071, -(-462))', 111 - 21)
        check('power(3, 9972, 9973)', 1)
        total = (total * 31 + check_random(generator)) % 1000003
    return total


print('parser:', run(int(sys.argv[1])))
