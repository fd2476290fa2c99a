# Havlak: finds the loops of control flow graphs, after Havlak's "Nesting of reducible and
# irreducible loops": depth-first numbering, then union and find from the innermost loops outwards.
# The size is how often a graph of 5213 blocks is searched; a small one is ten times as often.
import sys


class BasicBlock:
    def __init__(self, name):
        self.name = name
        self.sources = []
        self.targets = []

    def connect_to(self, other):
        self.targets.append(other)
        other.sources.append(self)


class ControlFlowGraph:
    def __init__(self):
        self.blocks = {}
        self.start = None

    def size(self):
        return len(self.blocks)

    def block(self, number):
        block = self.blocks.get(number)
        if block is None:
            block = self.blocks[number] = BasicBlock(number)
            if self.start is None:
                self.start = block
        return block

    def connect(self, source, target):
        self.block(source).connect_to(self.block(target))

    # The following methods add a shape behind a block; they return the number of its last block.

    def straight(self, first):
        self.connect(first, first + 1)
        return first + 1

    def diamond(self, first):
        self.connect(first, first + 1)
        self.connect(first, first + 2)
        self.connect(first + 1, first + 3)
        self.connect(first + 2, first + 3)
        return first + 3

    def loops(self, first):
        """Two loops in a row, each around a diamond, in a third one."""
        header = self.straight(first)
        diamond = self.diamond(header)
        second = self.straight(diamond)
        second_diamond = self.diamond(second)
        footer = self.straight(second_diamond)
        self.connect(second_diamond, second)
        self.connect(diamond, header)
        self.connect(footer, first)
        return self.straight(footer)

    def add_small(self):
        self.block(0)
        self.loops(0)
        self.connect(0, 2)

    def add_large(self):
        last = 2
        for _ in range(10):
            self.connect(2, last + 1)
            last += 1
            for _ in range(10):
                top = last
                last = self.straight(last)
                for _ in range(5):
                    last = self.loops(last)
                self.connect(last, top)
                last = self.straight(last)
            self.connect(last, 1)


class Loop:
    def __init__(self, header=None, is_reducible=True):
        self.header = header
        self.is_reducible = is_reducible
        self.parent = None
        self.children = set()
        self.blocks = set()
        self.depth = 0
        self.nesting = 0
        if header is not None:
            self.add_block(header)

    def add_block(self, block):
        self.blocks.add(block)

    def set_parent(self, loop):
        self.parent = loop
        loop.children.add(self)

    def nest(self, depth):
        self.depth = depth
        for each in self.children:
            each.nest(depth + 1)
            self.nesting = max(self.nesting, each.nesting + 1)


class LoopStructure:
    """The loops that were found, under a root that stands for the whole program."""

    def __init__(self):
        self.root = Loop()
        self.loops = [self.root]

    def size(self):
        return len(self.loops)

    def new_loop(self, block, is_reducible):
        loop = Loop(block, is_reducible)
        self.loops.append(loop)
        return loop

    def nest(self):
        for each in self.loops:
            if each is not self.root and each.parent is None:
                each.set_parent(self.root)
        self.root.nest(0)


class UnionFindNode:
    def __init__(self, block, number):
        self.parent = self
        self.block = block
        self.number = number
        self.loop = None

    def union(self, other):
        self.parent = other

    def find(self):
        """The root of the node, which everything on the way to it then has as its parent."""
        path = []
        node = self
        while node is not node.parent:
            if node.parent is not node.parent.parent:
                path.append(node)
            node = node.parent
        for each in path:
            each.union(node)
        return node


class LoopFinder:
    def __init__(self, graph, structure):
        self.graph = graph
        self.structure = structure

    def run(self):
        size = self.graph.size()
        self.numbers = {}
        self.nodes = []
        self.last = [0] * size
        self.kinds = ["nonheader"] * size
        self.headers = [0] * size
        self.back_sources = [[] for _ in range(size)]
        self.other_sources = [set() for _ in range(size)]
        self.number(self.graph.start)
        self.classify_edges()
        for w in reversed(range(len(self.nodes))):
            self.find_loop(w)

    def number(self, block):
        """Numbers the blocks depth first."""
        number = len(self.nodes)
        self.nodes.append(UnionFindNode(block, number))
        self.numbers[block] = number
        for each in block.targets:
            if each not in self.numbers:
                self.number(each)
        self.last[number] = len(self.nodes) - 1

    def is_ancestor(self, w, v):
        return w <= v <= self.last[w]

    def classify_edges(self):
        """Tells the edges that lead back to an ancestor from the others."""
        for w, node in enumerate(self.nodes):
            for each in node.block.sources:
                v = self.numbers.get(each)
                if v is not None:
                    if self.is_ancestor(w, v):
                        self.back_sources[w].append(v)
                    else:
                        self.other_sources[w].add(v)

    def find_loop(self, w):
        """What the loop with the header w consists of is found from its back edges backwards."""
        body = self.body_of_back_edges(w)
        if body:
            self.kinds[w] = "reducible"
        todo = list(body)
        for each in todo:  # which grows meanwhile
            self.add_sources(each, body, todo, w)
        if body or self.kinds[w] == "self":
            self.make_loop(body, w)

    def body_of_back_edges(self, w):
        body = []
        for v in self.back_sources[w]:
            if v == w:
                self.kinds[w] = "self"
            else:
                body.append(self.nodes[v].find())
        return body

    def add_sources(self, node, body, todo, w):
        for v in self.other_sources[node.number]:
            source = self.nodes[v].find()
            if not self.is_ancestor(w, source.number):
                self.kinds[w] = "irreducible"
                self.other_sources[w].add(source.number)
            elif source.number != w and source not in body:
                todo.append(source)
                body.append(source)

    def make_loop(self, body, w):
        header = self.nodes[w]
        loop = self.structure.new_loop(header.block, self.kinds[w] != "irreducible")
        header.loop = loop
        for each in body:
            self.headers[each.number] = w
            each.union(header)
            if each.loop is None:
                loop.add_block(each.block)
            else:
                each.loop.set_parent(loop)


def loops_for(size):
    graph = ControlFlowGraph()
    structure = LoopStructure()
    graph.add_small()
    for _ in range(size * 10):
        LoopFinder(graph, structure).run()
    graph.add_large()
    LoopFinder(graph, structure).run()
    for _ in range(size):
        LoopFinder(graph, LoopStructure()).run()
    structure.nest()
    print(f"havlak: {structure.size()} {graph.size()} {structure.root.nesting}")
    if structure.size() != 1602 + size * 30 or graph.size() != 5213:
        raise Exception("havlak: a wrong number of loops or blocks")


# The numbering goes as deep as the graph has blocks.
sys.setrecursionlimit(20000)
loops_for(int(sys.argv[1]))
