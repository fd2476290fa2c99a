-- Json: a parser by recursive descent that goes through a text character by character. The text is
-- a message to a user interface, about 25 kB of nested arrays and objects that a fixed seed
-- determines. The size is how often the text is parsed; each result is looked at.
local Random = {}
Random.__index = Random

function Random.new() return setmetatable({seed = 74755}, Random) end

function Random:next()
  self.seed = (self.seed * 1309 + 13849) & 65535
  return self.seed
end

function Random:below(limit) return self:next() % limit end
function Random:of(list) return list[self:below(#list) + 1] end

-- Writes the text: operations on widgets that are known by number.
local TYPES = {"Composite", "Label", "Button", "Text", "ScrollBar"}
local STYLES = {"NONE", "FLAT", "HORIZONTAL"}
local WORDS = {
  "To the end of the line", [[Name and \"first name\"]], [[a\\b]], [[caf\u00e9]], [[line\nline]],
  "Ok", ""
}
local FLAGS = {"true", "false", "null"}

local MessageWriter = {}
MessageWriter.__index = MessageWriter

function MessageWriter.new()
  return setmetatable({out = {}, random = Random.new()}, MessageWriter)
end

function MessageWriter:write(text) self.out[#self.out + 1] = text end
function MessageWriter:flag() return self.random:of(FLAGS) end

function MessageWriter:create(id)
  local random = self.random
  self:write(string.format(
    '["create","w%d","rwt.widgets.%s",{"parent":"w%d","style":["%s"],"bounds":[%d,%d,%d,%d],' ..
    '"tabIndex":-1,"visible":%s,"opacity":0.%d,"customVariant":%s}]',
    id, random:of(TYPES), random:below(id), random:of(STYLES), random:below(100),
    random:below(100), random:below(1000), random:below(1000), self:flag(), random:below(100),
    self:flag()))
end

function MessageWriter:set(id)
  local random = self.random
  self:write(string.format(
    '["set","w%d", {"text":"%s","background":[%d,%d,%d,255],' ..
    '"font":[["Verdana","Lucida Sans","sans-serif"],%d,%s,false],"scale":%de-2}]',
    id, random:of(WORDS), random:below(256), random:below(256), random:below(256),
    random:below(20), self:flag(), random:below(10)))
end

function MessageWriter:listen(id)
  self:write(string.format(
    '["listen","w%d",{"Selection":%s, "MouseDown":%s, "FocusIn":%s}]',
    id, self:flag(), self:flag(), self:flag()))
end

function MessageWriter:call(id)
  local random = self.random
  self:write(string.format('["call","w%d","measureStrings",{"items":[', id))
  for i = 1, random:below(4) + 1 do
    if i > 1 then self:write(", ") end
    self:write(string.format('["p%d","%s",%d.5]', i, random:of(WORDS), random:below(500)))
  end
  self:write("]}]")
end

function MessageWriter:destroy(id) self:write(string.format('["destroy","w%d"]', id)) end

function MessageWriter:operation(id)
  local kind = self.random:below(8)
  if kind < 4 then
    self:create(id)
  elseif kind < 6 then
    self:set(id)
  elseif kind == 6 then
    self:call(id)
  elseif id % 2 == 1 then
    self:listen(id)
  else
    self:destroy(id)
  end
end

function MessageWriter:text()
  self:write('{"head":{"requestCounter":4,"uiRoot":"w1"},"operations":[\n')
  for id = 1, 175 do
    if id > 1 then self:write(",\n") end
    self:operation(id)
  end
  self:write("\n]}\n")
  return table.concat(self.out)
end

local function class(super)
  local self = setmetatable({}, super)
  self.__index = self
  return self
end

local JsonValue = class()
function JsonValue:is_object() return false end
function JsonValue:is_array() return false end
-- How many values it consists of, itself included.
function JsonValue:count() return 1 end

local JsonLiteral = class(JsonValue)
function JsonLiteral.new(text) return setmetatable({text = text}, JsonLiteral) end

local JsonNumber = class(JsonValue)
function JsonNumber.new(text) return setmetatable({text = text}, JsonNumber) end

local JsonString = class(JsonValue)
function JsonString.new(text) return setmetatable({text = text}, JsonString) end

local JsonArray = class(JsonValue)
function JsonArray.new() return setmetatable({elements = {}}, JsonArray) end
function JsonArray:is_array() return true end
function JsonArray:size() return #self.elements end
function JsonArray:add(value) self.elements[#self.elements + 1] = value end

function JsonArray:count()
  local sum = 1
  for _, each in ipairs(self.elements) do sum = sum + each:count() end
  return sum
end

local JsonObject = class(JsonValue)
function JsonObject.new() return setmetatable({members = {}}, JsonObject) end
function JsonObject:is_object() return true end
function JsonObject:at(name) return self.members[name] end
function JsonObject:put(name, value) self.members[name] = value end

function JsonObject:count()
  local sum = 1
  for _, each in pairs(self.members) do sum = sum + each:count() end
  return sum
end

local JsonParser = {}
JsonParser.__index = JsonParser

function JsonParser.new(text)
  return setmetatable({
    text = text, index = 0, line = 1, column = 0, current = nil, start = nil, captured = nil
  }, JsonParser)
end

function JsonParser:parse()
  self:read()
  self:skip_space()
  local value = self:read_value()
  self:skip_space()
  if self.current then self:fail("the end of the text") end
  return value
end

function JsonParser:read_value()
  local current = self.current
  if current == '"' then return JsonString.new(self:read_string()) end
  if current == "[" then return self:read_array() end
  if current == "{" then return self:read_object() end
  if current == "n" then return self:read_literal("null") end
  if current == "t" then return self:read_literal("true") end
  if current == "f" then return self:read_literal("false") end
  if current == "-" or self:is_digit() then return self:read_number() end
  self:fail("a value")
end

function JsonParser:read_array()
  local array = JsonArray.new()
  self:read()
  self:skip_space()
  if self:read_if("]") then return array end
  repeat
    self:skip_space()
    array:add(self:read_value())
    self:skip_space()
  until not self:read_if(",")
  self:require("]")
  return array
end

function JsonParser:read_object()
  local object = JsonObject.new()
  self:read()
  self:skip_space()
  if self:read_if("}") then return object end
  repeat
    self:skip_space()
    if self.current ~= '"' then self:fail("a name") end
    local name = self:read_string()
    self:skip_space()
    self:require(":")
    self:skip_space()
    object:put(name, self:read_value())
    self:skip_space()
  until not self:read_if(",")
  self:require("}")
  return object
end

function JsonParser:read_literal(word)
  for i = 1, #word do self:require(word:sub(i, i)) end
  return JsonLiteral.new(word)
end

function JsonParser:read_string()
  self:read()
  self:begin_capture()
  while self.current ~= '"' do
    if self.current == nil or self.current < " " then self:fail("a character") end
    if self.current == "\\" then
      self:pause_capture()
      self.captured = self.captured .. self:read_escape()
      self.start = self.index
    else
      self:read()
    end
  end
  self:pause_capture()
  self:read()
  return self.captured
end

function JsonParser:read_escape()
  self:read()
  local escaped = self.current
  self:read()
  if escaped == "n" then return "\n" end
  if escaped == "r" then return "\r" end
  if escaped == "t" then return "\t" end
  if escaped == "b" then return "\b" end
  if escaped == "f" then return "\f" end
  if escaped == "u" then return self:read_unicode() end
  if escaped ~= '"' and escaped ~= "\\" and escaped ~= "/" then
    self:fail("an escape sequence")
  end
  return escaped
end

function JsonParser:read_unicode()
  local code = 0
  for _ = 1, 4 do
    local digit = self.current and tonumber(self.current, 16)
    if not digit then self:fail("a hexadecimal digit") end
    code = code * 16 + digit
    self:read()
  end
  return utf8.char(code)
end

function JsonParser:read_number()
  self:begin_capture()
  self:read_if("-")
  if not self:read_if("0") then self:read_digits() end
  if self:read_if(".") then self:read_digits() end
  if self:read_if("e") or self:read_if("E") then
    if not self:read_if("+") then self:read_if("-") end
    self:read_digits()
  end
  self:pause_capture()
  return JsonNumber.new(self.captured)
end

function JsonParser:read_digits()
  if not self:is_digit() then self:fail("a digit") end
  while self:is_digit() do self:read() end
end

function JsonParser:is_digit()
  return self.current ~= nil and self.current >= "0" and self.current <= "9"
end

function JsonParser:is_space()
  local current = self.current
  return current == " " or current == "\n" or current == "\r" or current == "\t"
end

function JsonParser:skip_space()
  while self:is_space() do self:read() end
end

function JsonParser:begin_capture()
  self.captured = ""
  self.start = self.index
end

function JsonParser:pause_capture()
  self.captured = self.captured .. self.text:sub(self.start, self.index - 1)
end

function JsonParser:read_if(character)
  if self.current ~= character then return false end
  self:read()
  return true
end

function JsonParser:require(character)
  if not self:read_if(character) then self:fail(character) end
end

function JsonParser:read()
  if self.current == "\n" then
    self.line = self.line + 1
    self.column = 0
  end
  self.index = self.index + 1
  self.column = self.column + 1
  self.current = self.index <= #self.text and self.text:sub(self.index, self.index) or nil
end

function JsonParser:fail(expected)
  error(self.line .. ":" .. self.column .. ": expected " .. expected)
end

local function is_right(message)
  if not (message:is_object() and message:at("head"):is_object()) then return false end
  local operations = message:at("operations")
  return operations:is_array() and operations:size() == 175
end

local text = MessageWriter.new():text()
local message
for _ = 1, tonumber(arg[1]) do
  message = JsonParser.new(text):parse()
  if not is_right(message) then error("json: a wrong result") end
end
print("json: " .. #text .. " " .. message:count())
