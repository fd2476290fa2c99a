# Text processing over a text made up from a vocabulary of 600 words: the frequencies of words and
# letters, the most frequent words and all the places where they stand, anagrams, a text with one
# word replaced, and one filled into lines of 72 columns. The size is the number of words.
import re
import sys


class Generator:
    def __init__(self):
        self.seed = 74755

    def next(self):
        self.seed = (self.seed * 1309 + 13849) & 65535
        return self.seed

    def up_to(self, limit):
        return self.next() * limit // 65536 + 1


class TextGenerator:
    def __init__(self):
        self.generator = Generator()
        self.vocabulary = []
        known = set()
        while len(self.vocabulary) < 600:
            word = self.new_word()
            if word not in known:
                known.add(word)
                self.vocabulary.append(word)

    def letter_of(self, letters):
        return letters[self.generator.up_to(len(letters)) - 1]

    def new_word(self):
        parts = []
        for _ in range(self.generator.up_to(3)):
            parts.append(self.letter_of('bdfglmnprstv'))
            parts.append(self.letter_of('aeiou'))
        return ''.join(parts)

    def next_word(self):
        # The product makes the first words of the vocabulary the most frequent ones.
        product = self.generator.up_to(600) * self.generator.up_to(600)
        return self.vocabulary[(product - 1) // 600]

    def write_sentence(self, count, parts):
        parts.append(self.next_word().capitalize())
        for _ in range(count - 1):
            if self.generator.up_to(8) == 1:
                parts.append(',')
            parts.append(' ')
            parts.append(self.next_word())
        parts.append('.\n')

    def text_of(self, count):
        parts = []
        left = count
        while left > 0:
            length = min(left, 3 + self.generator.up_to(12))
            self.write_sentence(length, parts)
            left -= length
        return ''.join(parts)


def check(condition, what):
    if not condition:
        raise ValueError('not so: ' + what)


class TextBenchmark:
    def count_words(self):
        frequencies = {}
        for line in self.text.splitlines():
            for each in re.findall(r'[^ .,]+', line):
                word = each.lower()
                frequencies[word] = frequencies.get(word, 0) + 1
        check(sum(frequencies.values()) == self.count, 'all words are counted')
        self.frequencies = frequencies

    def rank_words(self):
        self.ranking = sorted(self.frequencies, key=lambda word: (-self.frequencies[word], word))

    def report(self):
        return ', '.join(f'{word.upper()}:{self.frequencies[word]}' for word in self.ranking[:20])

    def letters(self):
        letters = {}
        for character in self.text:
            if character.isalpha():
                letter = character.lower()
                letters[letter] = letters.get(letter, 0) + 1
        check(sum(letters.values()) == sum(len(word) * self.frequencies[word]
                                           for word in self.frequencies),
              'all letters are counted')
        return ' '.join(f'{letter}{letters[letter]}' for letter in sorted(letters))

    def places_of(self, word):
        # Parts of words count as well: that is what searching a text means.
        places = []
        index = self.text.find(word)
        while index >= 0:
            places.append(index)
            index = self.text.find(word, index + len(word))
        check(len(places) == self.text.count(word), 'all places are found')
        return places

    def places(self):
        parts = []
        for word in self.ranking[:10]:
            places = self.places_of(word)
            parts.append(f'{word} {len(places)} {places[-1] + 1}')
        return ', '.join(parts)

    def anagrams(self):
        groups = {}
        for word in self.ranking:
            groups.setdefault(''.join(sorted(word)), []).append(word)
        best = []
        for group in groups.values():
            if len(group) > len(best):
                best = group
        return ' '.join(sorted(best))

    def replaced(self):
        old = self.ranking[-1]
        new = old.upper() + old
        result = self.text.replace(old, new)
        check(len(result) == len(self.text) + len(old) * self.text.count(old), 'all are replaced')
        return len(result)

    def filled(self):
        lines = []
        line = ''
        for word in self.text.split():
            if not line:
                line = word
            elif len(line) + 1 + len(word) <= 72:
                line = line + ' ' + word
            else:
                lines.append(line)
                line = word
        lines.append(line)
        check(all(len(each) <= 72 for each in lines), 'the lines are short')
        check(len(' '.join(lines)) == len(self.text) - 1, 'no word is lost')
        return f'{len(lines)} {lines[-1]}'

    def run(self, count):
        self.count = count
        self.text = TextGenerator().text_of(count)
        self.count_words()
        self.rank_words()
        result = f'{len(self.frequencies)} {self.replaced()}'
        parts = [self.report(), self.letters(), self.places(), self.anagrams(), self.filled()]
        for part in parts:
            result += f' {checksum(part)}'
        return result


def checksum(text):
    """A sum of all characters, each multiplied by what came before."""
    total = 0
    for character in text:
        total = (total * 31 + ord(character)) % 1000003
    return total


print('text:', TextBenchmark().run(int(sys.argv[1])))
