-- Text processing over a text made up from a vocabulary of 600 words: the frequencies of words and
-- letters, the most frequent words and all the places where they stand, anagrams, a text with one
-- word replaced, and one filled into lines of 72 columns. The size is the number of words.
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

local TextGenerator = {}
TextGenerator.__index = TextGenerator

function TextGenerator.new()
  local self = setmetatable({generator = Generator.new()}, TextGenerator)
  self:makeVocabulary()
  return self
end

function TextGenerator:makeVocabulary()
  self.vocabulary = {}
  local known = {}
  while #self.vocabulary < 600 do
    local word = self:newWord()
    if not known[word] then
      known[word] = true
      table.insert(self.vocabulary, word)
    end
  end
end

function TextGenerator:letterOf(letters)
  local index = self.generator:upTo(#letters)
  return letters:sub(index, index)
end

function TextGenerator:newWord()
  local parts = {}
  for i = 1, self.generator:upTo(3) do
    table.insert(parts, self:letterOf("bdfglmnprstv"))
    table.insert(parts, self:letterOf("aeiou"))
  end
  return table.concat(parts)
end

-- The product makes the first words of the vocabulary the most frequent ones.
function TextGenerator:nextWord()
  local product = self.generator:upTo(600) * self.generator:upTo(600)
  return self.vocabulary[(product - 1) // 600 + 1]
end

local function capitalized(word)
  return word:sub(1, 1):upper() .. word:sub(2)
end

function TextGenerator:writeSentence(count, parts)
  table.insert(parts, capitalized(self:nextWord()))
  for i = 2, count do
    if self.generator:upTo(8) == 1 then
      table.insert(parts, ",")
    end
    table.insert(parts, " ")
    table.insert(parts, self:nextWord())
  end
  table.insert(parts, ".\n")
end

function TextGenerator:textOf(count)
  local parts = {}
  local left = count
  while left > 0 do
    local length = math.min(left, 3 + self.generator:upTo(12))
    self:writeSentence(length, parts)
    left = left - length
  end
  return table.concat(parts)
end

local function check(condition, what)
  if not condition then
    error("not so: " .. what)
  end
end

local TextBenchmark = {}
TextBenchmark.__index = TextBenchmark

function TextBenchmark.new()
  return setmetatable({}, TextBenchmark)
end

function TextBenchmark:countWords()
  local frequencies = {}
  for line in self.text:gmatch("[^\n]+") do
    for each in line:gmatch("[^ .,]+") do
      local word = each:lower()
      frequencies[word] = (frequencies[word] or 0) + 1
    end
  end
  local sum = 0
  for _, count in pairs(frequencies) do
    sum = sum + count
  end
  check(sum == self.count, "all words are counted")
  self.frequencies = frequencies
end

function TextBenchmark:rankWords()
  local frequencies = self.frequencies
  local ranking = {}
  for word in pairs(frequencies) do
    table.insert(ranking, word)
  end
  table.sort(ranking, function(a, b)
    local na, nb = frequencies[a], frequencies[b]
    return na > nb or na == nb and a < b
  end)
  self.ranking = ranking
end

function TextBenchmark:report()
  local parts = {}
  for i = 1, 20 do
    local word = self.ranking[i]
    parts[i] = word:upper() .. ":" .. self.frequencies[word]
  end
  return table.concat(parts, ", ")
end

function TextBenchmark:letters()
  local letters = {}
  for character in self.text:gmatch(".") do
    if character:find("%a") then
      local letter = character:lower()
      letters[letter] = (letters[letter] or 0) + 1
    end
  end
  local keys, sum = {}, 0
  for letter, count in pairs(letters) do
    table.insert(keys, letter)
    sum = sum + count
  end
  for word, count in pairs(self.frequencies) do
    sum = sum - #word * count
  end
  check(sum == 0, "all letters are counted")
  table.sort(keys)
  local parts = {}
  for i, letter in ipairs(keys) do
    parts[i] = letter .. letters[letter]
  end
  return table.concat(parts, " ")
end

local function occurrencesOf(word, text)
  return select(2, text:gsub(word, ""))
end

-- Parts of words count as well: that is what searching a text means.
function TextBenchmark:placesOf(word)
  local places = {}
  local index = self.text:find(word, 1, true)
  while index do
    table.insert(places, index)
    index = self.text:find(word, index + #word, true)
  end
  check(#places == occurrencesOf(word, self.text), "all places are found")
  return places
end

function TextBenchmark:places()
  local parts = {}
  for i = 1, 10 do
    local word = self.ranking[i]
    local places = self:placesOf(word)
    parts[i] = word .. " " .. #places .. " " .. places[#places]
  end
  return table.concat(parts, ", ")
end

local function sortedLetters(word)
  local letters = {}
  for letter in word:gmatch(".") do
    table.insert(letters, letter)
  end
  table.sort(letters)
  return table.concat(letters)
end

function TextBenchmark:anagrams()
  local groups, keys = {}, {}
  for _, word in ipairs(self.ranking) do
    local key = sortedLetters(word)
    if not groups[key] then
      groups[key] = {}
      table.insert(keys, key)
    end
    table.insert(groups[key], word)
  end
  local best = {}
  for _, key in ipairs(keys) do
    if #groups[key] > #best then
      best = groups[key]
    end
  end
  table.sort(best)
  return table.concat(best, " ")
end

function TextBenchmark:replaced()
  local old = self.ranking[#self.ranking]
  local new = old:upper() .. old
  local result = self.text:gsub(old, new)
  check(#result == #self.text + #old * occurrencesOf(old, self.text), "all are replaced")
  return #result
end

function TextBenchmark:filled()
  local lines = {}
  local line = ""
  for word in self.text:gmatch("%S+") do
    if line == "" then
      line = word
    elseif #line + 1 + #word <= 72 then
      line = line .. " " .. word
    else
      table.insert(lines, line)
      line = word
    end
  end
  table.insert(lines, line)
  for _, each in ipairs(lines) do
    check(#each <= 72, "the lines are short")
  end
  check(#table.concat(lines, " ") == #self.text - 1, "no word is lost")
  return #lines .. " " .. lines[#lines]
end

-- A sum of all characters, each multiplied by what came before.
local function checksum(text)
  local sum = 0
  for i = 1, #text do
    sum = (sum * 31 + text:byte(i)) % 1000003
  end
  return sum
end

function TextBenchmark:run(count)
  self.count = count
  self.text = TextGenerator.new():textOf(count)
  self:countWords()
  self:rankWords()
  local result = #self.ranking .. " " .. self:replaced()
  local parts = {self:report(), self:letters(), self:places(), self:anagrams(), self:filled()}
  for _, part in ipairs(parts) do
    result = result .. " " .. checksum(part)
  end
  return result
end

print("text: " .. TextBenchmark.new():run(tonumber(arg[1])))
