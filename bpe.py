# SPDX-License-Identifier: 0BSD
# For your project, copy all above the line "The tour". Limits and sources: see README.
"""A byte-level BPE tokenizer: train, encode, decode, save and load, without losing a byte.

A language model reads numbers, and each costs. Bytes would do, but a Bangla letter is three bytes;
so byte-pair encoding (BPE) gives frequent sequences of bytes one number, a token's id:

  1. Split the text into pieces: words, numbers, punctuation, white space. No token spans two.
  2. Write each piece as its UTF-8 bytes: 256 tokens so far, with the ids 0 to 255.
  3. Count the pairs of adjacent tokens. Replace the most frequent one, wherever it occurs, by a new
     token with the next free id: a merge. Ties go to the smaller first id, then the smaller second.
  4. Repeat step 3 until the vocabulary is as large as you want it.

The merges, in their order, are all that is learned. Encoding replays them in that order, so that
a piece becomes what it became in training; decoding joins the bytes of tokens. By hand:

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
"""
from __future__ import annotations

import codecs, copy, functools, heapq, itertools, json, os, re, sys, tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from operator import add, index

# Punctuation, which ends a word: ASCII's, the danda and its kin, dashes, quotes, bullets. Not the
# joiners U+200C and U+200D: they occur inside Bangla words.
PUNCT = r"!-/:-@\[-`{-~।॥৷" "\u2010-\u2027\u2030-\u205E"

# A piece is the first of these that fits. On the right: what it catches in "দাম ৩৫টি, 1250 টাকা।\n"
SPLIT = re.compile(
    rf" ?[^\s\d{PUNCT}]+"  # a word, with the space before it     "দাম" "টি" " টাকা"
    rf"| ?\d{{1,3}}"       # up to three digits, of any script    " ৩৫" " 125" "0"
    rf"| ?[{PUNCT}]+"      # a run of punctuation                 "," "।"
    r"|\s+")               # a run of white space                 "\n"
# A word is what the others leave, not \w+, which lacks the vowel signs and splits টাকা into four.
# Every character fits one. Do not edit SPLIT, as STRETCH relies on it: pass BPE another pattern.


class BPE:
    """A byte-level BPE tokenizer. Untrained, it knows the 256 bytes and the special tokens.

    >>> BPE(special_tokens=["<|end|>"]).special_tokens
    {'<|end|>': 256}

    A new token takes the next free id: after the bytes come the special tokens given here, then
    merges and later special tokens, as they come. `pattern` is a regular expression whose matches
    are the pieces of any text; it is saved too. Read the attributes, but leave changes to methods.
    """

    def __init__(self, special_tokens: Iterable[str] = (), pattern: str | re.Pattern = SPLIT):
        self.merges: dict[tuple[int, int], int] = {}      # {(97, 97): 256}, in the order learned
        self.vocab = {i: bytes([i]) for i in range(256)}  # {256: b"aa"}, the bytes of every id
        self.special_tokens: dict[str, int] = {}          # {"<|end|>": 257}
        self.pattern: str = _checked_pattern(pattern)
        self._split = SPLIT.findall if self.pattern == SPLIT.pattern else lambda s: [s]  # see _cut
        # Inside, a token is a character, chr(id), and a piece is a string of them: at first its
        # bytes, by Latin-1, where byte n is chr(n). So a merge is str.replace, in C, from left to
        # right without overlap; and pairs sort by first id, then second, which settles ties.
        self._new_of: dict[str, str] = {}                 # {"aa": chr(256)}, the merges
        self._pieces = _Memory(lambda piece: self._replay(piece.encode().decode("latin-1")))
        self._stretches = _Memory(lambda s: "".join(map(self._pieces.__getitem__, self._split(s))))
        if isinstance(special_tokens, (str, set, frozenset, Mapping)):
            raise TypeError(f"special_tokens must be a list, in order, not {special_tokens!r}")
        self.add_special_tokens(*special_tokens)

    @property
    def vocab_size(self) -> int:
        """The number of tokens, bytes and special tokens included."""
        return len(self.vocab)

    def train(self, text: str | Iterable[str] | Mapping[str, int], vocab_size: int,
              min_frequency: int = 1, verbose: bool = False) -> BPE:
        """Learn merges until `vocab_size` tokens of all kinds together are known; return self.

        >>> BPE().train(["low", "lower lowest"], vocab_size=258).vocab[257]
        b'low'

        `text` is a string, an iterable of strings (documents: no token spans two), or a mapping
        from piece to count. It goes on from the merges it has, leaves special tokens out, stops
        early when no pair occurs `min_frequency` times (a token may end up rarer), and reports on
        stderr if `verbose`. Bad input raises ValueError or TypeError, and nothing is learned.
        """
        if vocab_size < self.vocab_size:
            raise ValueError(f"vocab_size {vocab_size} is below the {self.vocab_size} known tokens")
        pieces = {self._pieces[piece]: count for piece, count in _count_pieces(text, self).items()}
        pairs = _most_frequent_pairs(pieces, self.vocab_size)
        try:
            for id, (pair, count) in zip(range(self.vocab_size, vocab_size), pairs):
                if count < max(1, min_frequency):
                    break
                self._learn(pair)
                if verbose and id % 100 == 99:
                    token = repr(self.decode([id]))
                    _report(f"{id + 1:,} of {vocab_size:,} tokens: {token}, {count:,} times")
        except BaseException:  # Ctrl-C half-way, say: rebuild all from the merges
            vars(self).update(vars(copy.copy(self)))
            raise
        return self

    def _learn(self, pair):
        """Make `pair`, two characters, a token; forget what was worked out without it."""
        a, b = map(ord, pair)
        new = len(self.vocab)
        self.merges[a, b], self.vocab[new] = new, self.vocab[a] + self.vocab[b]
        self._new_of[pair] = chr(new)
        self._pieces.clear()
        self._stretches.clear()

    def encode(self, text: str, allowed_special: Iterable[str] = ()) -> list[int]:
        """Return the ids of `text`: in each piece, the merges replayed in the order learned.

        >>> tokenizer = BPE(special_tokens=["<|end|>"])
        >>> tokenizer.encode("ক<|end|>", allowed_special=["<|end|>"])
        [224, 166, 149, 256]
        >>> tokenizer.encode("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]

        The text of a special token is ordinary text, as a user may have typed it, unless
        `allowed_special` names it or is "all": never allow it where a user wrote any part. Where
        two overlap the leftmost is taken, and of two that begin there the longest.
        """
        _check_text(text)
        allowed = self.special_tokens if allowed_special == "all" else allowed_special
        allowed = frozenset([allowed] if isinstance(allowed, str) else allowed)
        if not allowed <= self.special_tokens.keys():
            raise ValueError(f"allowed_special has {[*allowed - self.special_tokens.keys()]}, but "
                             f"the special tokens are {[*self.special_tokens]}")
        tokens = "".join(chr(self.special_tokens[part]) if part in allowed else
                         "".join(map(self._stretches.__getitem__, _cut(part, self.pattern)))
                         for part in _special_splitter(allowed)(text))
        # list(map(ord, tokens)), but faster: UTF-32 is a byte-order mark, and then those numbers.
        return memoryview(tokens.encode("utf-32", "surrogatepass")).cast("I")[1:].tolist()

    def _replay(self, tokens):
        """Return the tokens of a piece after every merge that applies, the earliest first.

        Not the leftmost: if bc was learned before ab, abc is a bc, as in training.
        """
        new_of = self._new_of
        if not new_of:  # as training begins
            return tokens
        # A merge of a pair with the new token was learned after that token: `new` only ever grows.
        due = {new_of[pair]: pair for pair in map(add, tokens, tokens[1:]) if pair in new_of}
        while due:
            new = min(due)
            tokens = tokens.replace(due.pop(new), new)
            at = tokens.find(new)
            while at >= 0:
                for pair in (tokens[at - 1:at + 1], tokens[at:at + 2]):
                    if pair in new_of:
                        due[new_of[pair]] = pair
                at = tokens.find(new, at + 1)
        return tokens

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text of `ids`. A part of a letter becomes U+FFFD, or what `errors` says.

        >>> BPE().decode([224, 166, 149, 224, 166])
        'ক�'
        """
        return self.decode_bytes(ids).decode("utf-8", errors)  # joined: a letter may span tokens

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of `ids`. What is no id raises ValueError, or TypeError if no integer.

        >>> BPE().decode_bytes([224, 166])
        b'\\xe0\\xa6'
        """
        _check_ids(ids)
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
        _check_ids(ids)
        return codecs.iterdecode((self.decode_bytes([id]) for id in ids), "utf-8", "replace")

    def add_special_tokens(self, *texts: str) -> None:
        """Give each text the next free id. No other id moves.

        >>> tokenizer = BPE().train("aa", vocab_size=257)
        >>> tokenizer.add_special_tokens("<|user|>", "<|end|>")
        >>> tokenizer.special_tokens
        {'<|user|>': 257, '<|end|>': 258}
        """
        ids = {}
        for id, text in enumerate(texts, self.vocab_size):
            _check_text(text, "a special token")
            if not text or text in self.special_tokens or text in ids:
                raise ValueError(f"special token {text!r} is {'taken' if text else 'empty'}")
            ids[text] = id
        self.special_tokens.update(ids)
        self.vocab.update((id, text.encode()) for text, id in ids.items())

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer to a file of JSON; the same tokenizer gives the same bytes.

          {"version": 1, "pattern": "…", "special_tokens": {"<s>": 256}, "merges": [[97, 97, 257]]}
        """
        _write(path, json.dumps(self.__getstate__(), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike) -> BPE:
        """Return the tokenizer saved at `path`; {"merges": [[a, b, new], …]} alone will do.

        A file that holds no sound tokenizer raises ValueError with its path, the place and reason.
        """
        tokenizer = cls.__new__(cls)
        try:
            with open(path, encoding="utf-8-sig") as file:
                tokenizer.__setstate__({**json.load(file)})
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"{os.fspath(path)} holds no tokenizer: {error}") from None
        return tokenizer

    def __getstate__(self):  # what is saved, pickled, copied; all else follows from it
        return {"version": 1, "pattern": self.pattern, "special_tokens": self.special_tokens,
                "merges": [[*pair, new] for pair, new in self.merges.items()]}

    def __setstate__(self, state):  # a file may hold anything: each token is checked
        BPE.__init__(self, pattern=state.get("pattern", SPLIT))
        version, merges = state.get("version", 1), state.get("merges")
        if repr(version) != "1" or not isinstance(merges, list):
            raise ValueError("a list of merges in version 1 is expected, "
                             f"not {type(merges).__name__} in version {version!r}")
        special_tokens, rest = state.get("special_tokens", {}), iter(merges)
        texts = {id: text for text, id in special_tokens.items() if type(id) is int}
        known = {id: chr(id) for id in range(256)}  # what a merge may be made of
        for new in range(256, 256 + len(merges) + len(special_tokens)):
            if new in texts:
                self.add_special_tokens(texts[new])
                continue
            i, merge = len(self.merges), next(rest, None)
            if not (re.fullmatch(r"\[\d+, \d+, \d+\]", repr(merge)) and merge[2] == new
                    and known.keys() >= {*merge[:2]} and tuple(merge[:2]) not in self.merges):
                raise ValueError(f"{new} is no special token's id, and merge {i} is {merge!r:.60}; "
                                 f"due is [a, b, {new}], of bytes or earlier merges, a new pair")
            self._learn(known[merge[0]] + known[merge[1]])
            known[new] = chr(new)

    def save_huggingface(self, path: str | os.PathLike) -> None:
        """Write tokenizer.json for Hugging Face: ids as with "all" allowed, or raise ValueError."""
        pattern = _portable_pattern(self.pattern, self.vocab)
        # JSON holds text, not bytes. So each byte is written as a character, as GPT-2 does it: one
        # that prints stands for itself; the rest, 0 to 32, 127 to 160 and 173, move up past 255.
        # A space is Ġ, and ক (e0 a6 95) is à¦ķ.
        moved = dict(zip([*range(33), *range(127, 161), 173], range(256, 324)))
        tokens = [token.decode("latin-1").translate(moved) for token in self.vocab.values()]
        for text, id in self.special_tokens.items():
            if not text.isascii() and set(text) <= set(tokens[:256]):
                raise ValueError(f"special token {text!r} would be decoded as GPT-2's bytes")
            tokens[id] = text
        if any(tokens[a].startswith("#version") for a, b in self.merges):
            raise ValueError("a merge that begins with #version would be skipped there")
        added = [dict(id=id, content=text, special=True, normalized=False, single_word=False,
                      lstrip=False, rstrip=False) for text, id in self.special_tokens.items()]
        split = dict(type="Split", pattern={"Regex": pattern}, behavior="Isolated", invert=False)
        level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
        model = dict(type="BPE", vocab=dict(zip(tokens, self.vocab)),
                     merges=[f"{tokens[a]} {tokens[b]}" for a, b in self.merges])
        content = dict(version="1.0", added_tokens=added, decoder=level, model=model,
                       pre_tokenizer=dict(type="Sequence", pretokenizers=[split, level]))
        _write(path, json.dumps(content, ensure_ascii=False) + "\n")

    def tiktoken_kwargs(self, name: str) -> dict:
        """Return arguments for a tiktoken.Encoding that gives the same ids, or raise ValueError."""
        pattern, special = _portable_pattern(self.pattern, self.vocab), dict(self.special_tokens)
        # tiktoken merges any two tokens whose bytes together are a token, learned as a merge or
        # not; and where one special token is the beginning of another, it may take either.
        ranks = {self.vocab[id]: id for id in [*range(256), *self.merges.values()]}
        for token, id in ranks.items():
            if self._replay(token.decode("latin-1")) != chr(id):
                raise ValueError(f"token {id}, {token!r}, is not what its own bytes are encoded as")
        for text in special:
            if sum(other.startswith(text) for other in special) > 1:  # itself, and another
                raise ValueError(f"special token {text!r} is the beginning of another")
        return dict(name=name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


# What makes it fast -------------------------------------------------------------------------------

# No piece has white space behind other characters, and SPLIT looks at nothing outside a piece. So
# a cut before a run of white space, or after one of two or more, parts no piece. What lies between
# cuts, like " টাকা।", is a stretch: many pieces, one look-up. A block fits the processor's cache.
STRETCH = re.compile(r" [^ ]+(?<=\S)|[^ ]+(?<=\S)|\s+")  # " ?[^ ]+…" is slower
BLOCK = re.compile(r"(?s).{0,8000}\s*\S*")

def _cut(text, pattern):
    """Return the stretches of a text or, where the pattern is not SPLIT, its pieces."""
    if pattern == SPLIT.pattern:
        return itertools.chain.from_iterable(map(STRETCH.findall, BLOCK.findall(text)))
    return _all_pieces(text, pattern)

@functools.lru_cache(maxsize=64)
def _special_splitter(special_tokens):
    """Return the function that splits a text into [text, special token, text, …, text]."""
    longest_first = "|".join(map(re.escape, sorted(special_tokens, key=len, reverse=True)))
    return re.compile(f"({longest_first})").split if longest_first else lambda text: [text]

def _count_pieces(text, tokenizer):
    """Return {piece: count}: each distinct piece is trained on once, weighted by its count."""
    counts, stretches = Counter(), Counter()
    if isinstance(text, (str, bytes)) or not isinstance(text, Iterable):
        text = [text]
    split = _special_splitter(frozenset(tokenizer.special_tokens))
    for i, document in enumerate(text):
        _check_text(document, f"document {i}")
        for part in split(document)[::2]:
            if isinstance(text, Mapping):
                counts[part] += index(text[document])
                if text[document] < 0:
                    raise ValueError(f"the count of {document!r} is {text[document]}")
            else:
                stretches.update(_cut(part, tokenizer.pattern))
    for stretch, count in stretches.items():
        for piece in tokenizer._split(stretch):
            counts[piece] += count
    return counts

class _Memory(dict):
    """A dict that works out what it lacks, and keeps it; what it has it finds in C, far faster."""

    def __init__(self, work_out):
        self.work_out = work_out

    def __missing__(self, key):
        value = self.work_out(key)
        if len(self) >= 1 << 17:  # grown large, it starts afresh
            self.clear()
        if len(key) < 100:  # a long one would hardly come again
            self[key] = value
        return value

def _most_frequent_pairs(pieces, id):
    """Yield the most frequent pair of `pieces`, {tokens: count}, and its count; then make it `id`.

    The plain way counts all pairs anew for each merge. Here a merge looks only at pieces where its
    pair has occurred, and changes only the counts around it: for 2,000 tokens, 200 times as fast.
    """
    pieces, weights = list(pieces), list(pieces.values())
    places = defaultdict(list)  # {"ab": [7, 7]}: ab was found in pieces[7], twice
    for i, tokens in enumerate(pieces):
        for pair in map(add, tokens, tokens[1:]):
            places[pair].append(i)
    counts = {pair: sum(map(weights.__getitem__, where)) for pair, where in places.items()}
    heap = sorted((-count, pair) for pair, count in counts.items())
    while heap:
        count, pair = heapq.heappop(heap)
        while -count > counts[pair]:  # out of date: once a pair is made, it can only lose
            count, pair = heapq.heappushpop(heap, (-counts[pair], pair))
        yield pair, -count
        new, id = chr(id), id + 1
        found = defaultdict(list)  # the places of the pairs made
        for i in set(places.pop(pair)):
            pieces[i] = tokens = pieces[i].replace(pair, new)
            at = tokens.find(new)
            while at >= 0:
                found[tokens[at - 1:at + 1]].append(i)  # shorter at the edge of a piece
                found[tokens[at:at + 2]].append(i)
                at = tokens.find(new, at + 1)
        # Write N for the new token: xN has taken the place of xa, Ny of by, and NN of ba.
        a, b = pair
        del found[new + new][::2]  # each NN was found twice: from its first N and from its second
        for made, where in found.items():
            if where and len(made) == 2:  # no edge, and NN only if there is one
                places[made] = where
                counts[made] = count = sum(map(weights.__getitem__, where))
                counts[made[0].replace(new, b) + made[1].replace(new, a)] -= count
                heapq.heappush(heap, (-count, made))


# Checks at the door, progress, files and patterns -------------------------------------------------

def _check_text(text, what="text"):
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, not {text!r:.60}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} has a lone surrogate at index {error.start}, which UTF-8 cannot "
                         "hold: text.encode('utf-8', 'replace').decode() cleans it") from None

def _check_ids(ids):
    if not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a list, not {ids!r}: pass [{ids!r}]")

def _report(line, last=False):
    """Print a line of progress on stderr: in a terminal, over the one before."""
    end = "\n" if last or not sys.stderr.isatty() else "\r"
    print(line + "\x1b[K" * sys.stderr.isatty(), file=sys.stderr, end=end, flush=True)

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

def _all_pieces(text, pattern):
    """Return the pieces of a text: joined, they are the text, or else ValueError."""
    pieces = re.findall(pattern, text)
    if "".join(pieces) != text or not all(pieces):
        raise ValueError(f"pattern {pattern!r} leaves out some text, or finds nothing")
    return pieces

def _checked_pattern(pattern):
    """Return the source of a pattern that leaves out none of the first 12,288 characters."""
    try:
        split = re.compile(pattern)
        if split.groups or split != re.compile(split.pattern):
            raise ValueError("groups are written (?:…) here, and flags (?i)")
        _check_text(split.pattern, "it")
        _all_pieces("".join(map(chr, range(0x3000))), split.pattern)
        return split.pattern
    except (re.error, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern {pattern!r} does not split text into pieces: {error}") from None

def _portable_pattern(pattern, vocab):
    r"""Return the pattern with \s, \d, \w spelled out; refuse it, or a vocab, that cannot move."""
    token, n = Counter(vocab.values()).most_common(1)[0]
    if n > 1:
        raise ValueError(f"{n} ids have the same bytes, {token!r}")
    # What all engines read alike: escapes, classes, groups, lookaheads, quantifiers, characters.
    escape = r"\\[sSdDwWnrtf\[\]\\^$.|?*+(){}&~#/-]"
    portable = (rf"{escape}|\[\^?(?:{escape}|[^\\\[\]])+\]|\(\?[:=!]"
                r"|\{\d+(?:,\d*)?\}(?![+?])|[^\\\[\]({}^$]")
    odd = r"&&|--|~~|\[\^\]|\(\?[=!][^()]*\)[*+?{]"
    if not re.fullmatch(f"(?:{portable})*", pattern) or re.search(odd, pattern):
        raise ValueError(f"the pattern {pattern!r} may mean something else elsewhere")
    return re.sub(r"\\(.)", lambda m: _ranges(m[1]) if m[1] in "sSdDwW" else m[0], pattern)

@functools.lru_cache(maxsize=None)
def _ranges(letter):
    r"""Return \s, \d, \w, \S, \D or \W, given by its letter, as a class of ranges."""
    runs = re.findall(rf"\{letter.lower()}+", "".join(map(chr, range(sys.maxunicode + 1))))
    return f"[{'^' * letter.isupper()}{''.join(f'{run[0]}-{run[-1]}' for run in runs)}]"


# The tour -----------------------------------------------------------------------------------------

import argparse, base64, contextlib, pathlib, timeit

LETTERS_ONLY = r" ?[^\W\d_]+| ?\d{1,3}| ?(?:[^\s\w]|_)+|\s+"  # words as in GPT-2: no vowel signs
HELD_OUT = {  # never trained on; tokens in cl100k_base and o200k_base, counted by tiktoken 0.14.0
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
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        return "".join(f"\x1b[97;{44 + i % 2}m{text}\x1b[0m" for i, text in enumerate(texts))
    return "|".join(texts)

def corpus(texts, tokenizer):
    """The corpus is cut into pieces, whose borders no token crosses"""
    for language, text in texts.items():
        n, size, pieces = len(text), len(text.encode()), set(SPLIT.findall(text))
        print(f"  {language:<9}{n:,} characters, {size:,} bytes, {size / n:.2f} bytes a character, "
              f"{len(pieces):,} distinct pieces")

def training(texts, tokenizer):
    """Training: each merge makes the most frequent pair a token"""
    seconds = timeit.timeit(lambda: tokenizer.train(texts.values(), vocab_size=2000), number=1)
    tokenizer.save("tokenizer.json")
    new = [*tokenizer.merges.values()]
    print(f"  {len(new):,} merges in {seconds:.2f} s; tokenizer.json holds them, SPLIT and <|end|>")
    print("  the first:", shown(tokenizer, new[:12]))
    print("  late ones:", shown(tokenizer, new[-400::40]))

def comparison(texts, tokenizer):
    """Three sentences it never saw: the fewer tokens, the cheaper"""
    real, how = [], "recorded"
    with contextlib.suppress(Exception):  # tiktoken is not installed, or its files cannot be had
        import tiktoken
        real, how = [*map(tiktoken.get_encoding, ("cl100k_base", "o200k_base"))], "counted now"
    for language, (text, *recorded) in HELD_OUT.items():
        gpt4, gpt4o = [len(encoding.encode(text)) for encoding in real] or recorded
        print(f"  {language:<9}{len(text)} characters, {len(text.encode()):>3} bytes, "
              f"{len(tokenizer.encode(text))} tokens; {gpt4} in cl100k_base, {gpt4o} in o200k_base "
              f"({how})")

def splitting(texts, tokenizer):
    """How it splits a sentence, and puts a word together: the merges, in the order learned"""
    print(" ", shown(tokenizer, tokenizer.encode(HELD_OUT["Bangla"][0])))
    word = " ফোন".encode().decode("latin-1")  # a token is a character, as inside BPE
    print(" ", shown(tokenizer, map(ord, word)))
    for (a, b), new in tokenizer.merges.items():
        if chr(a) + chr(b) in word:
            word = word.replace(chr(a) + chr(b), chr(new))
            print(" ", shown(tokenizer, map(ord, word)))

def vocabulary_size(texts, tokenizer, label="", sizes=(500, 1000, 2000, 4000, 8000),
                    seen=("English", "Bangla"), pattern=SPLIT):
    """Vocabulary size: tokens per character of the last tenths, trained on the rest"""
    growing = BPE(pattern=pattern)
    for size in sizes:
        growing.train([texts[name][:len(texts[name]) * 9 // 10] for name in seen], size)
        for name, text in texts.items():
            unseen = text[len(text) * 9 // 10:]
            cost = len(growing.encode(unseen)) / len(unseen)
            print(f"  {label or size:<24}{name:<9}{cost:.3f} {'█' * round(cost * 40)}")

def corpus_mix(texts, tokenizer):
    """Corpus mix: the same, with 2,000 tokens"""
    for seen in ["English"], ["Bangla"], ["English", "Bangla"]:
        vocabulary_size(texts, tokenizer, f"on {' and '.join(seen)}", [2000], seen)

def split_pattern(texts, tokenizer):
    """Split pattern: the same, with 2,000 tokens"""
    for label, pattern in ("letters only", LETTERS_ONLY), ("SPLIT", SPLIT), ("none", r"[\s\S]+"):
        vocabulary_size(texts, tokenizer, label, [2000], pattern=pattern)
    print("  Letters only, a word is", "|".join(re.findall(LETTERS_ONLY, "বিশ্ববিদ্যালয়")))

def special_tokens(texts, tokenizer):
    """Special tokens: <|end|> is 256 only when a program says so"""
    print("  a user types:   ", tokenizer.encode("ধন্যবাদ<|end|>"))
    print("  a program sends:", tokenizer.encode("ধন্যবাদ<|end|>", allowed_special=["<|end|>"]))

def streaming(texts, tokenizer):
    """Streaming: \ufffd is a part of a letter"""
    ids = tokenizer.encode("ঈদ মোবারক 🌙")
    print("  each id alone:  ", "|".join(tokenizer.decode([id]) for id in ids))
    print("  decode_stream:  ", "|".join(tokenizer.decode_stream(ids)))

def speed(texts, tokenizer):
    """Speed, on one megabyte: the corpora three times over"""
    text, fresh = "\n".join(texts.values()) * 3, BPE.load("tokenizer.json")
    jobs = {"the first pass": fresh.encode, "a later pass": fresh.encode, "nothing remembered":
            lambda text: [*map(fresh._pieces.work_out, SPLIT.findall(text))]}
    with contextlib.suppress(ImportError):
        import tiktoken
        jobs["tiktoken, in Rust"] = tiktoken.Encoding(**fresh.tiktoken_kwargs("")).encode_ordinary
    for name, job in jobs.items():
        seconds = timeit.timeit(lambda: job(text), number=1)
        print(f"  {name:<20}{seconds:.3f} s{len(text.encode()) / 1e6 / seconds:>8.1f} MB/s")

def tour():
    """Walk through the lesson on the two corpora beside this file."""
    texts = {"English": read(pathlib.Path(__file__).with_name("corpus_en.txt")),
             "Bangla": read(pathlib.Path(__file__).with_name("corpus_bn.txt"))}
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

def parsed_arguments():
    parser = argparse.ArgumentParser(epilog="example: bpe.py train book.txt --vocab-size 4000")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", help="without one, a tour")
    train = commands.add_parser("train", help="learn a tokenizer from files of UTF-8 text")
    train.add_argument("files", nargs="+", help="- is standard input")
    train.add_argument("--vocab-size", type=int, default=2000, metavar="N")
    train.add_argument("--special", action="append", default=[], metavar="TEXT")
    train.add_argument("-o", "--output", default="tokenizer.json", metavar="FILE")
    saved = argparse.ArgumentParser(add_help=False)
    saved.add_argument("-t", "--tokenizer", default="tokenizer.json", metavar="FILE")
    for name, help in ("encode", "print the ids of a text"), ("decode", "write the text of ids"):
        command = commands.add_parser(name, help=help, parents=[saved])
        command.add_argument("file", nargs="?", default="-", help="- is standard input")
    show = commands.add_parser("show", help="print the tokens of a text", parents=[saved])
    show.add_argument("text")
    export = commands.add_parser("export", help="write it for another library", parents=[saved])
    export.add_argument("--huggingface", metavar="FILE")
    export.add_argument("--tiktoken", metavar="FILE")
    return parser.parse_args()

def export(tokenizer, args):
    """Write the files asked for; for tiktoken, print the code that reads it."""
    if not (args.huggingface or args.tiktoken):
        raise ValueError("export needs --huggingface FILE or --tiktoken FILE")
    if args.huggingface:
        tokenizer.save_huggingface(args.huggingface)
    if args.tiktoken:
        kwargs = tokenizer.tiktoken_kwargs("ours")
        ranks = kwargs.pop("mergeable_ranks").items()
        _write(args.tiktoken, "".join(f"{base64.b64encode(t).decode()} {id}\n" for t, id in ranks))
        print(f"import base64, tiktoken\nlines = map(str.split, open({args.tiktoken!r}))\n"
              "ranks = {base64.b64decode(token): int(id) for token, id in lines}\n"
              f"encoding = tiktoken.Encoding(**{kwargs!r}, mergeable_ranks=ranks)")

def main():
    # UTF-8 whatever the terminal says; buffered, even with -u, so that a failed write is an error.
    sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
    args = parsed_arguments()
    tokenizer = BPE.load(args.tokenizer) if "tokenizer" in args else BPE()
    if args.command is None:
        tour()
    elif args.command == "train":  # the bytes typed, read as UTF-8 whatever the locale
        tokenizer.add_special_tokens(*(os.fsencode(text).decode() for text in args.special))
        tokenizer.train(map(read, args.files), args.vocab_size, verbose=True).save(args.output)
        _report(f"{args.output}: {tokenizer.vocab_size:,} tokens", last=True)
    elif args.command == "encode":
        print(" ".join(map(str, tokenizer.encode(read(args.file)))))
    elif args.command == "decode":
        sys.stdout.buffer.write(tokenizer.decode_bytes(map(int, read(args.file).split())))
    elif args.command == "show":
        print(shown(tokenizer, tokenizer.encode(os.fsencode(args.text).decode())))
    else:
        export(tokenizer, args)
    sys.stdout.flush()

if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, OSError, ValueError, MemoryError) as error:
        if not isinstance(error, BrokenPipeError):  # whoever reads it has enough
            print("bpe.py:", str(error) or type(error).__name__, file=sys.stderr, flush=True)
        os._exit(1)  # not sys.exit, which would try once more to write what is left
