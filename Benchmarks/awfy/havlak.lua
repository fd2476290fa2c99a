-- Havlak: finds the loops of control flow graphs, after Havlak's "Nesting of reducible and
-- irreducible loops": depth-first numbering, then union and find from the innermost loops outwards.
-- The size is how often a graph of 5213 blocks is searched; a small one is ten times as often.
local BasicBlock = {}
BasicBlock.__index = BasicBlock

function BasicBlock.new(name)
  return setmetatable({name = name, sources = {}, targets = {}}, BasicBlock)
end

function BasicBlock:connect_to(other)
  self.targets[#self.targets + 1] = other
  other.sources[#other.sources + 1] = self
end

local ControlFlowGraph = {}
ControlFlowGraph.__index = ControlFlowGraph

function ControlFlowGraph.new()
  return setmetatable({blocks = {}, count = 0, start = nil}, ControlFlowGraph)
end

function ControlFlowGraph:size() return self.count end

function ControlFlowGraph:block(number)
  local block = self.blocks[number]
  if block == nil then
    block = BasicBlock.new(number)
    self.blocks[number] = block
    self.count = self.count + 1
    if self.start == nil then self.start = block end
  end
  return block
end

function ControlFlowGraph:connect(from, to) self:block(from):connect_to(self:block(to)) end

-- The following functions add a shape behind a block; they return the number of its last block.
function ControlFlowGraph:straight(from)
  self:connect(from, from + 1)
  return from + 1
end

function ControlFlowGraph:diamond(from)
  self:connect(from, from + 1)
  self:connect(from, from + 2)
  self:connect(from + 1, from + 3)
  self:connect(from + 2, from + 3)
  return from + 3
end

-- Two loops in a row, each around a diamond, in a third one.
function ControlFlowGraph:loops(from)
  local header = self:straight(from)
  local diamond = self:diamond(header)
  local second = self:straight(diamond)
  local second_diamond = self:diamond(second)
  local footer = self:straight(second_diamond)
  self:connect(second_diamond, second)
  self:connect(diamond, header)
  self:connect(footer, from)
  return self:straight(footer)
end

function ControlFlowGraph:add_small()
  self:block(0)
  self:loops(0)
  self:connect(0, 2)
end

function ControlFlowGraph:add_large()
  local last = 2
  for _ = 1, 10 do
    self:connect(2, last + 1)
    last = last + 1
    for _ = 1, 10 do
      local top = last
      last = self:straight(last)
      for _ = 1, 5 do last = self:loops(last) end
      self:connect(last, top)
      last = self:straight(last)
    end
    self:connect(last, 1)
  end
end

local Loop = {}
Loop.__index = Loop

function Loop.new(header, is_reducible)
  local self = setmetatable({
    header = header, is_reducible = is_reducible, parent = nil, children = {}, blocks = {},
    depth = 0, nesting = 0
  }, Loop)
  if header then self:add_block(header) end
  return self
end

function Loop:add_block(block) self.blocks[block] = true end

function Loop:set_parent(loop)
  self.parent = loop
  loop.children[self] = true
end

function Loop:nest(depth)
  self.depth = depth
  for each in pairs(self.children) do
    each:nest(depth + 1)
    self.nesting = math.max(self.nesting, each.nesting + 1)
  end
end

-- The loops that were found, under a root that stands for the whole program.
local LoopStructure = {}
LoopStructure.__index = LoopStructure

function LoopStructure.new()
  local root = Loop.new()
  return setmetatable({root = root, loops = {root}}, LoopStructure)
end

function LoopStructure:size() return #self.loops end

function LoopStructure:new_loop(block, is_reducible)
  local loop = Loop.new(block, is_reducible)
  self.loops[#self.loops + 1] = loop
  return loop
end

function LoopStructure:nest()
  for _, each in ipairs(self.loops) do
    if each ~= self.root and each.parent == nil then each:set_parent(self.root) end
  end
  self.root:nest(0)
end

local UnionFindNode = {}
UnionFindNode.__index = UnionFindNode

function UnionFindNode.new(block, number)
  local self = setmetatable({block = block, number = number, loop = nil}, UnionFindNode)
  self.parent = self
  return self
end

function UnionFindNode:union(other) self.parent = other end

-- The root of the node, which everything on the way to it then has as its parent.
function UnionFindNode:find()
  local path = {}
  local node = self
  while node ~= node.parent do
    if node.parent ~= node.parent.parent then path[#path + 1] = node end
    node = node.parent
  end
  for _, each in ipairs(path) do each:union(node) end
  return node
end

local function includes(list, element)
  for _, each in ipairs(list) do
    if each == element then return true end
  end
  return false
end

local LoopFinder = {}
LoopFinder.__index = LoopFinder

function LoopFinder.new(graph, structure)
  return setmetatable({
    graph = graph, structure = structure, numbers = {}, nodes = {}, last = {}, kinds = {},
    headers = {}, back_sources = {}, other_sources = {}
  }, LoopFinder)
end

function LoopFinder:run()
  for i = 1, self.graph:size() do
    self.kinds[i] = "nonheader"
    self.headers[i] = 1
    self.back_sources[i] = {}
    self.other_sources[i] = {}
  end
  self:number(self.graph.start)
  self:classify_edges()
  for w = #self.nodes, 1, -1 do self:find_loop(w) end
end

-- Numbers the blocks depth first.
function LoopFinder:number(block)
  local number = #self.nodes + 1
  self.nodes[number] = UnionFindNode.new(block, number)
  self.numbers[block] = number
  for _, each in ipairs(block.targets) do
    if not self.numbers[each] then self:number(each) end
  end
  self.last[number] = #self.nodes
end

function LoopFinder:is_ancestor(w, v) return w <= v and v <= self.last[w] end

-- Tells the edges that lead back to an ancestor from the others.
function LoopFinder:classify_edges()
  for w, node in ipairs(self.nodes) do
    for _, each in ipairs(node.block.sources) do
      local v = self.numbers[each]
      if v then
        if self:is_ancestor(w, v) then
          local sources = self.back_sources[w]
          sources[#sources + 1] = v
        else
          self.other_sources[w][v] = true
        end
      end
    end
  end
end

-- What the loop with the header w consists of is found from its back edges against the flow.
function LoopFinder:find_loop(w)
  local body = self:body_of_back_edges(w)
  if #body > 0 then self.kinds[w] = "reducible" end
  local todo = {table.unpack(body)}
  local first = 1
  while first <= #todo do
    self:add_sources(todo[first], body, todo, w)
    first = first + 1
  end
  if #body > 0 or self.kinds[w] == "self" then self:make_loop(body, w) end
end

function LoopFinder:body_of_back_edges(w)
  local body = {}
  for _, v in ipairs(self.back_sources[w]) do
    if v == w then
      self.kinds[w] = "self"
    else
      body[#body + 1] = self.nodes[v]:find()
    end
  end
  return body
end

function LoopFinder:add_sources(node, body, todo, w)
  for v in pairs(self.other_sources[node.number]) do
    local source = self.nodes[v]:find()
    if not self:is_ancestor(w, source.number) then
      self.kinds[w] = "irreducible"
      self.other_sources[w][source.number] = true
    elseif source.number ~= w and not includes(body, source) then
      todo[#todo + 1] = source
      body[#body + 1] = source
    end
  end
end

function LoopFinder:make_loop(body, w)
  local header = self.nodes[w]
  local loop = self.structure:new_loop(header.block, self.kinds[w] ~= "irreducible")
  header.loop = loop
  for _, each in ipairs(body) do
    self.headers[each.number] = w
    each:union(header)
    if each.loop then each.loop:set_parent(loop) else loop:add_block(each.block) end
  end
end

local function loops_for(size)
  local graph = ControlFlowGraph.new()
  local structure = LoopStructure.new()
  graph:add_small()
  for _ = 1, size * 10 do LoopFinder.new(graph, structure):run() end
  graph:add_large()
  LoopFinder.new(graph, structure):run()
  for _ = 1, size do LoopFinder.new(graph, LoopStructure.new()):run() end
  structure:nest()
  print("havlak: " .. structure:size() .. " " .. graph:size() .. " " .. structure.root.nesting)
  if structure:size() ~= 1602 + size * 30 or graph:size() ~= 5213 then
    error("havlak: a wrong number of loops or blocks")
  end
end

loops_for(tonumber(arg[1]))
