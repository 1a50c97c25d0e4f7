# SPDX-License-Identifier: 0BSD
"""A byte-level BPE tokenizer: train, encode, decode, save and load, without losing a byte.

A language model reads numbers, and is paid for by how many it reads. The bytes of a text would do,
but a letter of Bangla takes three. Byte-pair encoding (BPE) gives frequent sequences of bytes one
number, a token's id:

  1. Split the text into pieces: words, numbers, punctuation, white space. No token spans two.
  2. Write each piece as its UTF-8 bytes: 256 tokens so far, with the ids 0 to 255.
  3. Count the pairs of adjacent tokens. Replace the most frequent one, wherever it occurs, by a new
     token with the next free id: a merge. Among equals the smaller first id wins; then, the second.
  4. Repeat step 3 until the vocabulary is as large as you want it.

The merges, in the order learned, are the whole tokenizer. Encoding replays them in that order, so
that a piece becomes what it became in training; decoding joins the bytes of tokens. By hand:

  tokens                  the most frequent pair                                  new token
  a a a b d a a a b a c   a a, 4 times: aaa holds it twice, but is merged once    256, aa
  256 a b d 256 a b a c   256 a and a b, 2 times each: a is 97, and goes first    257, ab
  256 257 d 256 257 a c   256 257, 2 times                                        258, aaab
  258 d 258 a c

>>> tokenizer = BPE().train("aaabdaaabac", vocab_size=259)
>>> tokenizer.merges
{(97, 97): 256, (97, 98): 257, (256, 257): 258}
>>> tokenizer.encode("aaabক")
[258, 224, 166, 149]
>>> tokenizer.decode([258, 224, 166, 149])
'aaabক'

Any text that UTF-8 can hold comes back exactly; the same input gives the same file, wherever Python
knows the same digits. For your project, copy all above the line "The tour". Sources: see README.
"""
from __future__ import annotations

import codecs, json, os, re, sys, tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain
from operator import add, index

# What ends a word: ASCII punctuation, the danda and its kin, dashes, quotes and bullets. Not the
# joiners U+200C and U+200D: they occur inside Bangla words.
PUNCT = r"!-/:-@\[-`{-~।॥৷" "\u2010-\u2027\u2030-\u205E"

# A piece is the first of these that fits. On the right: what it catches in "দাম ৩৫টি, 1250 টাকা।\n"
SPLIT = re.compile(
    rf" ?[^\s\d{PUNCT}]+"  # a word, with the space before it     "দাম" "টি" " টাকা"
    rf"| ?\d{{1,3}}"       # up to three digits, of any script    " ৩৫" " 125" "0"
    rf"| ?[{PUNCT}]+"      # a run of punctuation                 "," "।"
    r"|\s+")               # a run of white space                 "\n"
# A word is what the others leave, not \w+, which lacks the vowel signs and splits টাকা into four.
# Every character fits one. Do not edit SPLIT, as `_cut` relies on it: pass another pattern to BPE.


class BPE:
    """A byte-level BPE tokenizer. Untrained, it knows the 256 bytes and the special tokens.

    >>> BPE(special_tokens=["<|end|>"]).special_tokens
    {'<|end|>': 256}

    A new token takes the next free id: after the bytes come the special tokens given here, then
    the merges, then special tokens added later. `pattern` is a regular expression whose matches
    are the pieces of any text; it is saved too. Read the attributes, but leave changes to methods.
    """

    def __init__(self, special_tokens: Iterable[str] = (), pattern: str | re.Pattern = SPLIT):
        self.merges: dict[tuple[int, int], int] = {}      # {(97, 97): 256}, in the order learned
        self.vocab = {i: bytes([i]) for i in range(256)}  # {256: b"aa"}, the bytes of every id
        self.special_tokens: dict[str, int] = {}          # {"<|end|>": 257}
        self._split = _checked_pattern(pattern)
        self.pattern: str = self._split.pattern
        # Inside, a token is a character, chr(id), and a piece is a string of them: at first its
        # bytes, by Latin-1, where byte n is chr(n). So a merge is str.replace, in C, from left to
        # right without overlap; and strings compare as their ids do, which settles ties.
        self._new_of: dict[str, str] = {}                 # {"aa": chr(256)}
        self._pair_of: dict[str, str] = {}                # {chr(256): "aa"}
        self._pieces = _Memory(lambda piece: self._replay(piece.encode().decode("latin-1")))
        self._stretches = _Memory(lambda stretch: "".join(
            map(self._pieces.__getitem__, self._split.findall(" " + stretch))))
        if isinstance(special_tokens, (str, set, frozenset, Mapping)):
            raise TypeError(f"special_tokens must be a list, in order, not {special_tokens!r}")
        self.add_special_tokens(*special_tokens)

    @property
    def vocab_size(self) -> int:
        """The number of tokens, bytes and special tokens included: one more than the last id."""
        return len(self.vocab)

    def train(self, text: str | Iterable[str] | Mapping[str, int], vocab_size: int,
              min_frequency: int = 1, verbose: bool = False) -> BPE:
        """Learn merges until `vocab_size` tokens of all kinds together are known; return self.

        >>> BPE().train(["low", "lower lowest"], vocab_size=258).vocab[257]
        b'low'

        `text` is a string, an iterable of strings (documents: no token spans two), or a mapping
        from piece to count. It stops early when no pair occurs `min_frequency` times, goes on
        from the merges it has, leaves out the texts of special tokens, and, if `verbose`, reports
        on stderr. Bad input raises ValueError or TypeError before anything is learned.
        """
        if vocab_size < self.vocab_size:
            raise ValueError(f"vocab_size is {vocab_size}, but must be at least {self.vocab_size}: "
                             "the tokens it has are kept")
        pairs = _Pairs({self._pieces[piece]: n for piece, n in self._count_pieces(text).items()})
        try:
            for id in range(self.vocab_size, vocab_size):
                pair, count = pairs.most_frequent()
                if count < max(1, min_frequency):
                    break
                pairs.merge(pair, self._learn(pair))
                if verbose and id % 100 == 99:
                    token = self.vocab[id].decode("utf-8", "backslashreplace")
                    _report(f"{id + 1:,} of {vocab_size:,} tokens: {token!r}, {count:,} times")
        except BaseException:  # Ctrl-C within a merge, say: make all else from the merges
            self.__setstate__(self.__getstate__())
            raise
        return self

    def _count_pieces(self, text):
        """Return {piece: count}: each distinct piece is trained on once, weighted by its count."""
        counts, stretch_counts = Counter(), Counter()
        if isinstance(text, (str, bytes)) or not isinstance(text, Iterable):
            text = [text]
        for i, document in enumerate(text):
            _check_text(document, f"document {i}")
            for part in _cutter(frozenset(self.special_tokens))(document)[::2]:
                if isinstance(text, Mapping):
                    counts[part] += index(text[document])
                    if text[document] < 0:
                        raise ValueError(f"the count of {document!r} is {text[document]}")
                else:
                    for pieces, stretches in _cut(part, self._split):
                        counts.update(pieces)
                        stretch_counts.update(stretches)
        for stretch, count in stretch_counts.items():
            for piece in self._split.findall(" " + stretch):
                counts[piece] += count
        return counts

    def _learn(self, pair):
        """Make `pair` a token and return it, as a character; all that is derived keeps in step."""
        a, b = map(ord, pair)
        id, new = len(self.vocab), chr(len(self.vocab))
        self.merges[a, b], self.vocab[id] = id, self.vocab[a] + self.vocab[b]
        self._new_of[pair], self._pair_of[new] = new, pair
        self._pieces.clear()
        self._stretches.clear()
        return new

    def encode(self, text: str, allowed_special: Iterable[str] = ()) -> list[int]:
        """Return the ids of `text`: in each piece, the merges replayed in the order learned.

        >>> tokenizer = BPE(special_tokens=["<|end|>"])
        >>> tokenizer.encode("ক<|end|>", allowed_special=["<|end|>"])
        [224, 166, 149, 256]
        >>> tokenizer.encode("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]

        The text of a special token is ordinary text, as a user may have typed it, unless
        `allowed_special` names it or is "all": never allow it in text that holds a user's. Where
        two overlap the leftmost is taken, and of two that begin there the longest.
        """
        _check_text(text)
        allowed = self.special_tokens if allowed_special == "all" else allowed_special
        allowed = frozenset([allowed] if isinstance(allowed, str) else allowed)
        if not allowed <= self.special_tokens.keys():
            raise ValueError(f"allowed_special has {[*allowed - self.special_tokens.keys()]}, but "
                             f"the special tokens are {[*self.special_tokens]}")
        tokens = "".join(chr(self.special_tokens[part]) if i % 2 else self._tokens(part)
                         for i, part in enumerate(_cutter(allowed)(text)))
        # list(map(ord, tokens)), but faster: UTF-32 is a byte-order mark, and then those numbers.
        return memoryview(tokens.encode("utf-32", "surrogatepass")).cast("I")[1:].tolist()

    def _tokens(self, text):
        """Return the tokens of a text without special tokens, as characters."""
        piece, stretch = self._pieces.__getitem__, self._stretches.__getitem__
        return "".join(chain.from_iterable(chain(map(piece, pieces), map(stretch, stretches))
                                           for pieces, stretches in _cut(text, self._split)))

    def _replay(self, tokens):
        """Return the tokens of a piece after every merge that applies, the earliest first.

        Not the leftmost: if bc was learned before ab, abc is a bc, as in training. A merge makes
        only pairs with its new token, and merges of those were learned later. So the heap, of new
        tokens still to be made, never goes back, and each merge is tried once.
        """
        new_of = self._new_of
        if not new_of:  # as training begins
            return tokens
        heap = sorted({new_of[pair] for pair in map(add, tokens, tokens[1:]) if pair in new_of})
        queued = set(heap)
        while heap:
            new = heappop(heap)
            tokens = tokens.replace(self._pair_of[new], new)
            at = tokens.find(new)
            while at >= 0:
                for pair in (tokens[at - 1:at + 1], tokens[at:at + 2]):
                    made = new_of.get(pair)
                    if made and made not in queued:
                        queued.add(made)
                        heappush(heap, made)
                at = tokens.find(new, at + 1)
        return tokens

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text of `ids`. A part of a letter becomes U+FFFD, or what `errors` says.

        >>> BPE().decode([224, 166, 149, 224, 166])
        'ক�'
        """
        return self.decode_bytes(ids).decode("utf-8", errors)  # once: a letter may span tokens

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of `ids`. What is no id raises ValueError, or TypeError if no integer.

        >>> BPE().decode_bytes([224, 166])
        b'\\xe0\\xa6'
        """
        if not isinstance(ids, Iterable):
            raise TypeError(f"ids must be a list, not {ids!r}: pass [{ids!r}]")
        ids = list(ids)
        try:
            return b"".join(map(self.vocab.__getitem__, map(index, ids)))
        except (KeyError, TypeError) as error:
            bad = next(i for i in ids if not hasattr(i, "__index__") or index(i) not in self.vocab)
            raise (ValueError if isinstance(error, KeyError) else TypeError)(
                f"{bad!r} is no id: ids are integers, 0 to {self.vocab_size - 1}") from None

    def decode_stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield the text of `ids` as soon as its letters are whole; joined, it equals `decode`.

        >>> list(BPE().decode_stream([224, 166, 149, 33]))
        ['ক', '!']
        """
        return codecs.iterdecode((self.decode_bytes([id]) for id in ids), "utf-8", "replace")

    def add_special_tokens(self, *texts: str) -> None:
        """Give each text the next free id. No other id moves.

        >>> tokenizer = BPE().train("aa", vocab_size=257)
        >>> tokenizer.add_special_tokens("<|user|>", "<|end|>")
        >>> tokenizer.special_tokens
        {'<|user|>': 257, '<|end|>': 258}
        """
        known = set(self.special_tokens)
        for text in texts:
            _check_text(text, "a special token")
            if not text or text in known:
                raise ValueError(f"special token {text!r} is {'taken' if text else 'empty'}")
            known.add(text)
        for text in texts:
            self.special_tokens[text] = len(self.vocab)
            self.vocab[len(self.vocab)] = text.encode()

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer to a file of JSON; the same tokenizer gives the same bytes.

          {"version": 1, "pattern": "…", "special_tokens": {"<s>": 256}, "merges": [[97, 97, 257]]}
        """
        _write(path, json.dumps(self.__getstate__(), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike) -> BPE:
        """Return the tokenizer saved at `path`; {"merges": [[a, b, new], …]} alone will do.

        A file that holds no sound tokenizer raises ValueError with the place and the reason.
        """
        tokenizer = cls.__new__(cls)
        try:
            with open(path, encoding="utf-8-sig") as file:
                tokenizer.__setstate__(json.load(file))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{os.fspath(path)} holds no tokenizer: {error}") from None
        return tokenizer

    def __getstate__(self):  # what is saved, pickled, copied; all else follows from it
        return {"version": 1, "pattern": self.pattern, "special_tokens": self.special_tokens,
                "merges": [[a, b, new] for (a, b), new in self.merges.items()]}

    def __setstate__(self, state):
        BPE.__init__(self, pattern=state.get("pattern", SPLIT))
        _relearn(self, state)

    def save_huggingface(self, path: str | os.PathLike) -> None:
        """Write a tokenizer.json: Hugging Face tokenizers give the same ids as with "all" allowed.

        What cannot be carried over exactly raises ValueError, here and below.
        """
        _write(path, json.dumps(_huggingface(self), ensure_ascii=False) + "\n")

    def tiktoken_kwargs(self, name: str) -> dict:
        """Return the keyword arguments of a tiktoken.Encoding that gives the same ids."""
        return {"name": name, "pat_str": _portable_pattern(self),
                "mergeable_ranks": _ranks(self), "special_tokens": dict(self.special_tokens)}


# What makes it fast -----------------------------------------------------------------------------

# A piece of SPLIT has a space only in front, unless it is all white space. So a space that follows
# no white space always starts a piece; and as SPLIT looks at nothing outside its match, the text
# can be cut there first, twice as fast as SPLIT splits it, and a stretch, the text from behind one
# such space to the next, be looked up as one. A block is what stays in the processor's cache.
FIRST_SPACE = re.compile(r" (?<!\s )")
BLOCK = re.compile(r"(?s).{8000}.*?(?<!\s)(?= )|.+")

def _cut(text, split):
    """Yield (pieces, stretches), block by block; of another pattern than SPLIT, pieces only."""
    if split.pattern == SPLIT.pattern:
        for block in BLOCK.findall(text):
            stretches = FIRST_SPACE.split(block)
            yield split.findall(stretches.pop(0)), stretches
    else:
        yield _all_pieces(text, split), []

@lru_cache(maxsize=64)
def _cutter(special_tokens):
    """Return the function that makes a text [text, special token, text, …, text]."""
    longest_first = sorted(special_tokens, key=len, reverse=True)
    pattern = re.compile(f"({'|'.join(map(re.escape, longest_first))})")
    return pattern.split if longest_first else lambda text: [text]

class _Memory(dict):
    """A dict that works out what it lacks; grown large, it starts afresh. Long keys are not kept.

    Looking up stays in C: words seen before are encoded some thirty times as fast as new ones.
    """

    def __init__(self, work_out):
        self.work_out = work_out

    def __missing__(self, key):
        value = self.work_out(key)
        if len(self) >= 1 << 17:
            self.clear()
        if len(key) < 100:
            self[key] = value
        return value

class _Pairs:
    """The pairs of adjacent tokens in `pieces`, {tokens: count}: how often each occurs, and where.

    The plain way counts all pairs anew for each merge. Here a merge looks only at pieces where its
    pair has occurred, and changes only the counts around it: the same merges, far over a hundred
    times as fast at 2,000 tokens.
    """

    def __init__(self, pieces):
        self.pieces, self.weights = list(pieces), list(pieces.values())
        self.counts = {}  # {"ab": 123}, in the whole corpus
        self.heap = []    # (-123, "ab"): the most frequent first, then the smallest
        self.places = defaultdict(list)  # {"ab": [7, 7]}: it was entered twice for pieces[7]
        for i, tokens in enumerate(self.pieces):
            for pair in map(add, tokens, tokens[1:]):
                self.places[pair].append(i)
        for pair, places in self.places.items():
            self._enter(pair, places)

    def _enter(self, pair, places):
        """Take in a pair that is new to the corpus; return how often it occurs."""
        self.places[pair] = places
        self.counts[pair] = count = sum(map(self.weights.__getitem__, places))
        heappush(self.heap, (-count, pair))
        return count

    def most_frequent(self):
        """Return (pair, count); when no pair is left, count is 0.

        A merge makes only pairs with its new token, and enters them with all they have; other pairs
        only lose. So a count in the heap is never too low, and one too high is put back corrected.
        """
        while self.heap:
            count, pair = heappop(self.heap)
            if -count == self.counts[pair]:
                return pair, -count
            heappush(self.heap, (-self.counts[pair], pair))
        return None, 0

    def merge(self, pair, new):
        """Put the token `new` wherever `pair` occurs.

        Write N for it. Where xaby becomes xNy, xN gains what xa loses, and Ny what by loses. Where
        abab becomes NN, NN gains what ba loses: it is entered once, as xN with x = N.
        """
        a, b = pair
        before, after = defaultdict(list), defaultdict(list)  # {x: places}, {y: places}
        for i in set(self.places.pop(pair)):
            self.pieces[i] = tokens = self.pieces[i].replace(pair, new)
            at = tokens.find(new)
            while at >= 0:
                before[tokens[at - 1:at]].append(i)  # at the edge of a piece, x or y is ""
                after[tokens[at + 1:at + 2]].append(i)
                at = tokens.find(new, at + 1)
        for x in before.keys() - {""}:
            self.counts[(b if x == new else x) + a] -= self._enter(x + new, before[x])
        for y in after.keys() - {"", new}:
            self.counts[b + y] -= self._enter(new + y, after[y])


# Checks at the door, progress and files -----------------------------------------------------------

def _check_text(text, what="text"):
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, not {text!r:.60}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} has a lone surrogate at index {error.start}, which UTF-8 cannot "
                         "hold: text.encode('utf-8', 'replace').decode() cleans it") from None

def _report(line, last=False):
    """Print a line of progress on stderr: in a terminal, over the one before."""
    end = "\n" if last or not sys.stderr.isatty() else "\r"
    print(line + "\x1b[K" * sys.stderr.isatty(), file=sys.stderr, end=end, flush=True)

def _all_pieces(text, split):
    pieces = split.findall(text)
    if "".join(pieces) != text or not all(pieces):
        raise ValueError(f"pattern {split.pattern!r} leaves out some text, or finds nothing")
    return pieces

def _checked_pattern(pattern):
    try:
        split = re.compile(pattern)
        if split.groups or split != re.compile(split.pattern):
            raise ValueError("groups are written (?:…) here, and flags (?i)")
        _check_text(split.pattern, "it")
        _all_pieces("".join(map(chr, range(0x3000))), split)
        return split
    except (re.error, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern {pattern!r} does not split text into pieces: {error}") from None

def _relearn(tokenizer, state):
    """Give an untrained tokenizer the tokens of a saved one, by id, each checked."""
    merges, special_tokens = state.get("merges"), state.get("special_tokens", {})
    if repr(state.get("version", 1)) != "1" or not isinstance(merges, list):
        raise ValueError(f"a list of merges in version 1 is expected, not {type(merges).__name__} "
                         f"in version {state.get('version')!r}")
    texts = {id: text for text, id in special_tokens.items() if type(id) is int}
    numbered, known, size = enumerate(merges), set(range(256)), 0
    for new in range(256, 256 + len(merges) + len(special_tokens)):
        if new in texts:
            tokenizer.add_special_tokens(texts[new])
            continue
        i, merge = next(numbered, (len(merges), None))
        if not (isinstance(merge, list) and [*map(type, merge)] == [int] * 3 and merge[2] == new
                and known >= {*merge[:2]} and (merge[0], merge[1]) not in tokenizer.merges):
            raise ValueError(f"merge {i} is {merge}, but {new} must be a special token's id, or "
                             f"[a, b, {new}] is due: bytes or earlier merges, in no pair before")
        size += len(tokenizer.vocab[merge[0]]) + len(tokenizer.vocab[merge[1]])
        if size > 1 << 28:  # by doubling and doubling, a short file would fill the memory
            raise ValueError(f"merge {i} brings the tokens to {size:,} bytes")
        tokenizer._learn(chr(merge[0]) + chr(merge[1]))
        known.add(new)

def _write(path, text):
    """Write a file whole or not at all: first beside its place, then moved there."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path} is there already, and is no regular file")
    with tempfile.TemporaryDirectory(prefix=".bpe-", dir=os.path.dirname(path)) as beside:
        with open(os.path.join(beside, "draft"), "wb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(file.name, path)


# Other engines ------------------------------------------------------------------------------------

def _huggingface(tokenizer):
    """Return the content of a tokenizer.json.

    JSON holds text, not bytes. So each byte is written as a character, as GPT-2 does it: one that
    prints stands for itself, the rest move up past 255. A space is Ġ, and ক (e0 a6 95) is à¦ķ.
    """
    hidden = [byte for byte in range(256) if byte == 32 or not chr(byte).isprintable()]
    moved = {byte: 256 + i for i, byte in enumerate(hidden)}
    tokens = [token.decode("latin-1").translate(moved) for token in tokenizer.vocab.values()]
    for text, id in tokenizer.special_tokens.items():
        if not text.isascii() and set(text) <= set(tokens[:256]):
            raise ValueError(f"special token {text!r} would be decoded as bytes in that alphabet")
        tokens[id] = text
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    split = {"type": "Split", "pattern": {"Regex": _portable_pattern(tokenizer)},
             "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False,
                  "use_regex": False}
    return {"version": "1.0",
            "added_tokens": [{"id": id, "content": text, "special": True, **flags}
                             for text, id in tokenizer.special_tokens.items()],
            "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
            "decoder": byte_level,
            "model": {"type": "BPE", "vocab": {token: id for id, token in enumerate(tokens)},
                      "merges": [f"{tokens[a]} {tokens[b]}" for a, b in tokenizer.merges]}}

def _ranks(tokenizer):
    """Return {token: id} for tiktoken, or refuse what it would encode otherwise.

    It merges any two tokens whose bytes together are a token, learned as a merge or not; and where
    one special token is the beginning of another, it may take either.
    """
    ranks = {token: id for id, token in tokenizer.vocab.items()}
    for text in tokenizer.special_tokens:
        del ranks[text.encode()]
        if any(other.startswith(text) for other in tokenizer.special_tokens.keys() - {text}):
            raise ValueError(f"special token {text!r} is the beginning of another")
    for token, id in ranks.items():
        if tokenizer._replay(token.decode("latin-1")) != chr(id):
            raise ValueError(f"token {id}, {token!r}, is not what its own bytes are encoded as")
    return ranks

def _portable_pattern(tokenizer):
    r"""Return the pattern, with \s, \d and \w spelled out: engines differ on what they hold.

    What else engines may read in two ways raises ValueError, and so do two ids of the same bytes.
    """
    token, n = Counter(tokenizer.vocab.values()).most_common(1)[0]
    if n > 1:
        raise ValueError(f"{n} ids have the same bytes, {token!r}")
    # What all engines read alike: classes, escapes, groups, lookaheads, quantifiers, characters.
    escape = r"\\[sSdDwWnrtf\[\]\\^$.|?*+(){}&~#/-]"
    known = (rf"\[\^?(?:{escape}|[^\\\[\]])+\]|{escape}|\(\?[:=!]|[|)?*+.]"
             rf"|\{{\d+(?:,\d*)?\}}(?![+?])|[^\\\[\](){{}}^$|?*+.]")
    pattern = tokenizer.pattern
    if not re.fullmatch(f"(?:{known})*", pattern) or re.search("&&|--|~~", pattern):
        raise ValueError(f"the pattern {pattern!r} may mean something else elsewhere")
    return re.sub(r"\\(.)", lambda m: _ranges(m[1]) if m[1] in "sSdDwW" else m[0], pattern)

@lru_cache(maxsize=None)
def _ranges(letter):
    r"""Return \s, \d, \w, \S, \D or \W, given by its letter, as a class of ranges."""
    runs = re.findall(rf"\{letter.lower()}+", "".join(map(chr, range(sys.maxunicode + 1))))
    return f"[{'^' * letter.isupper()}{''.join(f'{run[0]}-{run[-1]}' for run in runs)}]"


# The tour -----------------------------------------------------------------------------------------

import argparse, base64
from contextlib import suppress
from pathlib import Path
from timeit import timeit

LETTERS_ONLY = r" ?[^\W\d_]+| ?\d{1,3}| ?(?:[^\s\w]|_)+|\s+"  # as GPT-2: no vowel signs
HELD_OUT = {  # not trained on; their tokens in cl100k_base (GPT-4) and o200k_base (GPT-4o)
    "English": ("The rider called to say the parcel will arrive after the evening prayer.", 14, 14),
    "Bangla": ("রাইডার ফোন করে বলল পার্সেলটা সন্ধ্যার পরে পৌঁছাবে।", 60, 19),
    "Banglish": ("Rider call kore bollo parcel ta shondhar pore pouchabe.", 16, 15)}

def readable(token: bytes) -> str:
    r"""Return a token for people: letters where they are whole, other bytes in hexadecimal.

    >>> readable(b"\xe0\xa6\x95\xe0\xa6\n")
    'ক⟨e0 a6⟩\\n'
    """
    text = re.sub("[\udc80-\udcff]+", lambda m: f"⟨{bytes(ord(c) & 255 for c in m[0]).hex(' ')}⟩",
                  token.decode("utf-8", "surrogateescape"))
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda m: repr(m[0])[1:-1], text)

def shown(tokenizer, ids):
    """Return the tokens side by side: on two colours in a terminal, elsewhere between bars."""
    texts = [readable(tokenizer.vocab[id]) for id in ids]
    if not sys.stdout.isatty() or os.environ.get("NO_COLOR"):
        return "|".join(texts)
    return "".join(f"\x1b[97;{44 + i % 2}m{text}\x1b[0m" for i, text in enumerate(texts))

def row(first, *others):
    print(f"  {first:<20}", *(format(n, ">13," if isinstance(n, int) else ">13") for n in others))

def corpus(texts, tokenizer):
    """The corpus is cut into pieces, whose borders no token crosses"""
    row("", "characters", "bytes", "bytes/char", "pieces", "distinct")
    for language, text in texts.items():
        n, size, pieces = len(text), len(text.encode()), SPLIT.findall(text)
        row(language, n, size, f"{size / n:.2f}", len(pieces), len(set(pieces)))

def training(texts, tokenizer):
    """Training: each merge makes the most frequent pair a token"""
    seconds = timeit(lambda: tokenizer.train(texts.values(), vocab_size=2000), number=1)
    tokenizer.save("tokenizer.json")
    new = [*tokenizer.merges.values()]
    print(f"  {len(new):,} merges in {seconds:.2f} s, on top of 256 bytes and <|end|>")
    print("  the first:", shown(tokenizer, new[:12]))
    print("  late ones:", shown(tokenizer, new[-400::40]))
    print("  tokenizer.json holds them, with the pattern and the special token")

def comparison(texts, tokenizer):
    """Three sentences it never saw: the fewer tokens, the cheaper"""
    try:
        import tiktoken
        real, how = [*map(tiktoken.get_encoding, ("cl100k_base", "o200k_base"))], "counted now"
    except Exception:  # not installed, or its files cannot be had
        real, how = [], "recorded with tiktoken 0.14.0"
    row("", "characters", "bytes", "ours (2k)", "cl100k_base", "o200k_base")
    for language, (text, *recorded) in HELD_OUT.items():
        row(language, len(text), len(text.encode()), len(tokenizer.encode(text)),
            *([len(encoding.encode(text)) for encoding in real] or recorded))
    print(f"  The last two, of 100,000 and 200,000 tokens, are {how}")

def splitting(texts, tokenizer):
    """How it splits a sentence, and puts a word together: the merges, in the order learned"""
    print(" ", shown(tokenizer, tokenizer.encode(HELD_OUT["Bangla"][0])))
    ids = list(" ফোন".encode())
    print(" ", shown(tokenizer, ids))
    for pair, new in tokenizer.merges.items():
        while pair in zip(ids, ids[1:]):
            at = [*zip(ids, ids[1:])].index(pair)
            ids[at:at + 2] = [new]
            print(" ", shown(tokenizer, ids))

def cost(label, texts, tokenizer, size=2000, seen=("English", "Bangla")):
    """Train on nine tenths of what is seen; print the tokens per character of the last tenths."""
    tokenizer.train([texts[language][:len(texts[language]) * 9 // 10] for language in seen], size)
    for language, text in texts.items():
        unseen = text[len(text) * 9 // 10:]
        tokens = len(tokenizer.encode(unseen)) / len(unseen)
        print(f"  {label:<24}{language:<9}{tokens:.3f} {'█' * round(tokens * 40)}")

def vocabulary_size(texts, tokenizer):
    """Vocabulary size: tokens per character of unseen text"""
    growing = BPE()
    for size in 500, 1000, 2000, 4000, 8000:
        cost(f"{size:,} tokens", texts, growing, size)

def corpus_mix(texts, tokenizer):
    """Corpus mix: the same, with 2,000 tokens"""
    for seen in ["English"], ["Bangla"], ["English", "Bangla"]:
        cost(f"on {' and '.join(seen)}", texts, BPE(), seen=seen)

def split_pattern(texts, tokenizer):
    """Split pattern: the same, with 2,000 tokens"""
    for label, pattern in ("letters only", LETTERS_ONLY), ("SPLIT", SPLIT), ("none", r"[\s\S]+"):
        cost(label, texts, BPE(pattern=pattern))
    least = len(re.findall(LETTERS_ONLY, texts["Bangla"])) / len(texts["Bangla"])
    print("  Letters only, a word is", "|".join(re.findall(LETTERS_ONLY, "বিশ্ববিদ্যালয়")),
          f"and no vocabulary\n  takes Bangla below {least:.3f}, its pieces per character")

def special_tokens(texts, tokenizer):
    """Special tokens: <|end|> is 256 only when a program says so"""
    print("  a user types:   ", tokenizer.encode("ধন্যবাদ<|end|>"))
    print("  a program sends:", tokenizer.encode("ধন্যবাদ<|end|>", allowed_special=["<|end|>"]))

def streaming(texts, tokenizer):
    """Streaming: \N{REPLACEMENT CHARACTER} is a part of a letter"""
    ids = tokenizer.encode("ঈদ মোবারক 🌙")
    print("  each id alone:  ", "|".join(tokenizer.decode([id]) for id in ids))
    print("  decode_stream:  ", "|".join(tokenizer.decode_stream(ids)))

def speed(texts, tokenizer):
    """Speed, on one megabyte"""
    text, fresh = "\n".join(texts.values()) * 3, BPE.load("tokenizer.json")
    jobs = {"the first pass": fresh.encode, "a later pass": fresh.encode, "nothing remembered":
            lambda text: [*map(fresh._pieces.work_out, SPLIT.findall(text))]}
    with suppress(ImportError):
        import tiktoken
        jobs["tiktoken, in Rust"] = tiktoken.Encoding(**fresh.tiktoken_kwargs("ours")).encode
    for name, job in jobs.items():
        seconds = timeit(lambda: job(text), number=1)
        row(name, f"{seconds:.3f} s", f"{len(text.encode()) / 1e6 / seconds:.1f} MB/s")

def tour(args):
    """Walk through the lesson on the two corpora beside this file."""
    texts = {"English": read(Path(__file__).with_name("corpus_en.txt")),
             "Bangla": read(Path(__file__).with_name("corpus_bn.txt"))}
    tokenizer = BPE(special_tokens=["<|end|>"])
    sections = (corpus, training, comparison, splitting, vocabulary_size, corpus_mix,
                split_pattern, special_tokens, streaming, speed)
    for number, section in enumerate(sections, 1):
        print(f"\n{number}. {section.__doc__}")
        section(texts, tokenizer)


# The command line ---------------------------------------------------------------------------------

def read(path):
    """Return the text of a file, or of standard input for "-", its line ends as they are."""
    try:
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            return file.read().decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error}") from None

def run_train(args):
    """learn a tokenizer from files"""
    tokenizer = BPE(special_tokens=[os.fsencode(text).decode() for text in args.special])
    tokenizer.train(map(read, args.files), args.vocab_size, verbose=True).save(args.output)
    _report(f"{args.output}: {tokenizer.vocab_size:,} tokens", last=True)

def run_encode(args):
    """print the ids of a text"""
    print(" ".join(map(str, BPE.load(args.tokenizer).encode(read(args.file)))))

def run_decode(args):
    """write the text of ids, byte for byte"""
    with open(1, "wb", closefd=False) as file:  # all of it, with python -u too
        file.write(BPE.load(args.tokenizer).decode_bytes(map(int, read(args.file).split())))

def run_show(args):
    """print the tokens of TEXT"""
    tokenizer = BPE.load(args.tokenizer)  # TEXT as it was typed, whatever the locale takes it for
    print(shown(tokenizer, tokenizer.encode(os.fsencode(args.text).decode())))

def run_export(args):
    """write the tokenizer for another library; for tiktoken, print the code that reads it too"""
    tokenizer = BPE.load(args.tokenizer)
    if not (args.huggingface or args.tiktoken):
        raise ValueError("export needs --huggingface FILE or --tiktoken FILE")
    if args.huggingface:
        tokenizer.save_huggingface(args.huggingface)
    if args.tiktoken:
        kwargs = tokenizer.tiktoken_kwargs("ours")
        ranks = kwargs.pop("mergeable_ranks").items()
        _write(args.tiktoken, "".join(f"{base64.b64encode(t).decode()} {id}\n" for t, id in ranks))
        print("import base64, tiktoken\nencoding = tiktoken.Encoding(mergeable_ranks={\n"
              "    base64.b64decode(token): int(id) for token, id in map(str.split, "
              f"open({args.tiktoken!r}))}},\n    **{kwargs!r})")

def main():
    parser = argparse.ArgumentParser(
        description="A byte-level BPE tokenizer. Without a command, it gives a tour.",
        epilog="example: bpe.py train book.txt --vocab-size 4000; bpe.py encode book.txt > ids.txt")
    parser.set_defaults(run=tour)
    commands = parser.add_subparsers(metavar="COMMAND")
    saved = {"-t --tokenizer": {"default": "tokenizer.json"}}
    text = {"file": {"nargs": "?", "default": "-", "help": "- is standard input"}, **saved}
    for run, arguments in {
            run_train: {"files": {"nargs": "+", "help": "UTF-8 text; - is standard input"},
                        "--vocab-size": {"type": int, "default": 2000, "metavar": "N"},
                        "--special": {"action": "append", "default": [], "metavar": "TEXT"},
                        "-o --output": {"default": "tokenizer.json"}},
            run_encode: text, run_decode: text, run_show: {"text": {"metavar": "TEXT"}, **saved},
            run_export: {"--huggingface": {}, "--tiktoken": {}, **saved}}.items():
        command = commands.add_parser(run.__name__[4:], help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        for name, settings in arguments.items():
            command.add_argument(*name.split(), **{"metavar": "FILE", **settings})
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = parser.parse_args()
    args.run(args)
    sys.stdout.flush()

if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("bpe.py: interrupted")
    except (OSError, ValueError, MemoryError) as error:
        if not isinstance(error, BrokenPipeError):
            print(f"bpe.py: {error}", file=sys.stderr, flush=True)
        os._exit(1)  # not sys.exit, which would try once more to write what is left
