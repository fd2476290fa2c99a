-- A small functional language: a tokenizer that looks at one character at a time, a
-- recursive-descent parser that makes a tree of nodes, and nodes that evaluate themselves. Each
-- turn runs a program of recursive functions and a random expression whose value is known from its
-- making. The size is the number of turns.
local Generator = {}
Generator.__index = Generator

function Generator.new()
  return setmetatable({seed = 74755}, Generator)
end

function Generator:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

function Generator:upTo(limit)
  return self:next() * limit // 65536 + 1
end

local Token = {}
Token.__index = Token

function Token.new(kind, text, position)
  return setmetatable({kind = kind, text = text, position = position}, Token)
end

function Token:is(text)
  return self.text == text
end

local keywords = {
  ["def"] = true, ["let"] = true, ["in"] = true, ["if"] = true, ["then"] = true, ["else"] = true,
}

local Tokenizer = {}
Tokenizer.__index = Tokenizer

function Tokenizer.new(source)
  return setmetatable({source = source, position = 1}, Tokenizer)
end

function Tokenizer:peek()
  return self.source:sub(self.position, self.position)
end

function Tokenizer:textWhile(class)
  local start = self.position
  while self:peek():find(class) do
    self.position = self.position + 1
  end
  return self.source:sub(start, self.position - 1)
end

function Tokenizer:next()
  self:textWhile("%s")
  local start = self.position
  local character = self:peek()
  if character == "" then
    return Token.new("end", "the end", start)
  elseif character:find("%d") then
    return Token.new("number", self:textWhile("%d"), start)
  elseif character:find("%a") then
    local text = self:textWhile("%a")
    return Token.new(keywords[text] and "keyword" or "name", text, start)
  end
  self.position = start + 1
  return Token.new("sign", character, start)
end

local Scope = {}
Scope.__index = Scope

function Scope.new(parent)
  return setmetatable({parent = parent, values = {}}, Scope)
end

function Scope:at(name)
  local value = self.values[name]
  if value == nil then
    return self:lookUp(name)
  end
  return value
end

function Scope:lookUp(name)
  if not self.parent then
    error("unknown: " .. name)
  end
  return self.parent:at(name)
end

function Scope:put(name, value)
  self.values[name] = value
end

local function class(super)
  local result = setmetatable({}, super)
  result.__index = result
  return result
end

local Function = class()

function Function.new(parameters, body, scope)
  return setmetatable({parameters = parameters, body = body, scope = scope}, Function)
end

function Function:call(arguments)
  local inner = Scope.new(self.scope)
  for i, name in ipairs(self.parameters) do
    inner:put(name, arguments[i])
  end
  return self.body:value(inner)
end

local Node = class()

local NumberNode = class(Node)

function NumberNode.new(number)
  return setmetatable({number = number}, NumberNode)
end

function NumberNode:value(scope)
  return self.number
end

local NameNode = class(Node)

function NameNode.new(name)
  return setmetatable({name = name}, NameNode)
end

function NameNode:value(scope)
  return scope:at(self.name)
end

local NegationNode = class(Node)

function NegationNode.new(operand)
  return setmetatable({operand = operand}, NegationNode)
end

function NegationNode:value(scope)
  return -self.operand:value(scope)
end

local BinaryNode = class(Node)

function BinaryNode:new(left, right)
  return setmetatable({left = left, right = right}, self)
end

function BinaryNode:value(scope)
  return self:combine(self.left:value(scope), self.right:value(scope))
end

local SumNode = class(BinaryNode)
function SumNode:combine(a, b) return a + b end
local DifferenceNode = class(BinaryNode)
function DifferenceNode:combine(a, b) return a - b end
local ProductNode = class(BinaryNode)
function ProductNode:combine(a, b) return a * b end
local QuotientNode = class(BinaryNode)
function QuotientNode:combine(a, b) return a // b end
local RemainderNode = class(BinaryNode)
function RemainderNode:combine(a, b) return a % b end
local LessNode = class(BinaryNode)
function LessNode:combine(a, b) return a < b end
local EqualNode = class(BinaryNode)
function EqualNode:combine(a, b) return a == b end

local ConditionalNode = class(Node)

function ConditionalNode.new(condition, yes, no)
  return setmetatable({condition = condition, yes = yes, no = no}, ConditionalNode)
end

function ConditionalNode:value(scope)
  if self.condition:value(scope) then
    return self.yes:value(scope)
  else
    return self.no:value(scope)
  end
end

local LetNode = class(Node)

function LetNode.new(name, bound, body)
  return setmetatable({name = name, bound = bound, body = body}, LetNode)
end

function LetNode:value(scope)
  local inner = Scope.new(scope)
  inner:put(self.name, self.bound:value(scope))
  return self.body:value(inner)
end

local CallNode = class(Node)

function CallNode.new(name, arguments)
  return setmetatable({name = name, arguments = arguments}, CallNode)
end

function CallNode:value(scope)
  local values = {}
  for i, each in ipairs(self.arguments) do
    values[i] = each:value(scope)
  end
  return scope:at(self.name):call(values)
end

local DefinitionNode = class(Node)

function DefinitionNode.new(name, parameters, body)
  return setmetatable({name = name, parameters = parameters, body = body}, DefinitionNode)
end

function DefinitionNode:value(scope)
  scope:put(self.name, Function.new(self.parameters, self.body, scope))
end

local ProgramNode = class(Node)

function ProgramNode.new(definitions, expression)
  return setmetatable({definitions = definitions, expression = expression}, ProgramNode)
end

function ProgramNode:value(scope)
  for _, each in ipairs(self.definitions) do
    each:value(scope)
  end
  return self.expression:value(scope)
end

local comparisons = {["<"] = LessNode, ["="] = EqualNode}
local sums = {["+"] = SumNode, ["-"] = DifferenceNode}
local products = {["*"] = ProductNode, ["/"] = QuotientNode, ["%"] = RemainderNode}

-- program = { definition } expression end
-- definition = 'def' name '(' [ name { ',' name } ] ')' '=' expression ';'
-- expression = 'if' expression 'then' expression 'else' expression
--   | 'let' name '=' expression 'in' expression | comparison
-- comparison = sum [ ('<' | '=') sum ]
-- sum = product { ('+' | '-') product }
-- product = factor { ('*' | '/' | '%') factor }
-- factor = number | name [ '(' [ expression { ',' expression } ] ')' ] | '-' factor
--   | '(' expression ')'
local Parser = {}
Parser.__index = Parser

function Parser.new(source)
  local self = setmetatable({tokenizer = Tokenizer.new(source)}, Parser)
  self:advance()
  return self
end

function Parser.parse(source)
  return Parser.new(source):program()
end

function Parser:advance()
  local last = self.token
  self.token = self.tokenizer:next()
  return last
end

function Parser:fail(expected)
  error(expected .. " expected, not " .. self.token.text .. ", at " .. self.token.position)
end

function Parser:match(text)
  if not self.token:is(text) then
    return false
  end
  self:advance()
  return true
end

function Parser:expect(text)
  if not self:match(text) then
    self:fail(text)
  end
end

function Parser:name()
  if self.token.kind ~= "name" then
    self:fail("a name")
  end
  return self:advance().text
end

function Parser:program()
  local definitions = {}
  while self:match("def") do
    table.insert(definitions, self:definition())
  end
  local program = ProgramNode.new(definitions, self:expression())
  if self.token.kind ~= "end" then
    self:fail("the end")
  end
  return program
end

function Parser:list(element)
  local list = {}
  self:expect("(")
  if self:match(")") then
    return list
  end
  table.insert(list, element(self))
  while self:match(",") do
    table.insert(list, element(self))
  end
  self:expect(")")
  return list
end

function Parser:definition()
  local name = self:name()
  local parameters = self:list(self.name)
  self:expect("=")
  local body = self:expression()
  self:expect(";")
  return DefinitionNode.new(name, parameters, body)
end

function Parser:expression()
  if self:match("if") then
    return self:conditional()
  elseif self:match("let") then
    return self:let()
  end
  return self:comparison()
end

function Parser:conditional()
  local condition = self:expression()
  self:expect("then")
  local yes = self:expression()
  self:expect("else")
  return ConditionalNode.new(condition, yes, self:expression())
end

function Parser:let()
  local name = self:name()
  self:expect("=")
  local value = self:expression()
  self:expect("in")
  return LetNode.new(name, value, self:expression())
end

function Parser:operator(operators)
  if self.token.kind ~= "sign" then
    return nil
  end
  local node = operators[self.token.text]
  if node then
    self:advance()
  end
  return node
end

function Parser:comparison()
  local left = self:sum()
  local node = self:operator(comparisons)
  if not node then
    return left
  end
  return node:new(left, self:sum())
end

function Parser:chain(operators, operand)
  local left = operand(self)
  local node = self:operator(operators)
  while node do
    left = node:new(left, operand(self))
    node = self:operator(operators)
  end
  return left
end

function Parser:sum()
  return self:chain(sums, self.product)
end

function Parser:product()
  return self:chain(products, self.factor)
end

function Parser:factor()
  if self.token.kind == "number" then
    return NumberNode.new(tonumber(self:advance().text))
  elseif self.token.kind == "name" then
    return self:reference()
  elseif self:match("-") then
    return NegationNode.new(self:factor())
  elseif not self:match("(") then
    self:fail("an operand")
  end
  local inner = self:expression()
  self:expect(")")
  return inner
end

function Parser:reference()
  local name = self:name()
  if not self.token:is("(") then
    return NameNode.new(name)
  end
  return CallNode.new(name, self:list(self.expression))
end

-- Writes a random expression; what the methods return is its value.
local ExpressionWriter = {}
ExpressionWriter.__index = ExpressionWriter

function ExpressionWriter.new(generator)
  return setmetatable({generator = generator, parts = {}}, ExpressionWriter)
end

function ExpressionWriter:write(text)
  table.insert(self.parts, text)
end

local signs = {" + ", " - ", " * ", " / ", " % "}

function ExpressionWriter:expression(depth)
  if depth == 0 then
    return self:number()
  end
  local choice = self.generator:upTo(7)
  if choice == 6 then
    self:write("(-")
    local value = self:expression(depth - 1)
    self:write(")")
    return -value
  elseif choice == 7 then
    return self:conditional(depth)
  end
  self:write("((")
  local left = self:expression(depth - 1)
  self:write(signs[choice])
  local right = choice >= 4 and self:number() or self:expression(depth - 1)
  self:write(") % 10007)")
  if choice == 1 then
    return (left + right) % 10007
  elseif choice == 2 then
    return (left - right) % 10007
  elseif choice == 3 then
    return left * right % 10007
  elseif choice == 4 then
    return left // right % 10007
  end
  return left % right % 10007
end

function ExpressionWriter:number()
  local number = self.generator:upTo(1000)
  self:write(tostring(number))
  return number
end

function ExpressionWriter:conditional(depth)
  self:write("(if ")
  local a = self:expression(depth - 1)
  self:write(" < ")
  local b = self:number()
  self:write(" then ")
  local yes = self:expression(depth - 1)
  self:write(" else ")
  local no = self:expression(depth - 1)
  self:write(")")
  if a < b then
    return yes
  else
    return no
  end
end

local functions = [[
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
]]

local function check(text, expected)
  local value = Parser.parse(functions .. text):value(Scope.new())
  if value ~= expected then
    error(text .. " is " .. value .. ", not " .. expected)
  end
  return value
end

local function checkRandom(generator)
  local writer = ExpressionWriter.new(generator)
  local expected = writer:expression(7)
  return check(table.concat(writer.parts), expected)
end

local function run(turns)
  local generator = Generator.new()
  local sum = 0
  for i = 1, turns do
    check("fib(11) + primes(60)", 89 + 17)
    check("collatz(27) - gcd(1071, -(-462))", 111 - 21)
    check("power(3, 9972, 9973)", 1)
    sum = (sum * 31 + checkRandom(generator)) % 1000003
  end
  return sum
end

print("parser: " .. run(tonumber(arg[1])))
