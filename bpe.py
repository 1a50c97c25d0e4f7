# SPDX-License-Identifier: 0BSD
# To use it in a project of your own, copy all that stands above the line "# The tour".
"""A byte-level BPE tokenizer: train, encode, decode, save and load, without losing a byte.

A language model reads numbers, and whoever runs it pays for each of them. Text could be read as
bytes, but one Bangla letter is three bytes. So byte-pair encoding (BPE) gives frequent sequences of
bytes a number of their own: such a sequence is a token, and its number is an id.

  1. Split the text into pieces: words, numbers, punctuation, white space. No token spans two.
  2. The 256 bytes are the first tokens, with the ids 0 to 255. Write each piece as UTF-8 bytes.
  3. Count the pairs of adjacent tokens. Replace the most frequent pair, wherever it occurs, by a
     new token with the next free id. The rule that this pair becomes this token is a merge. Of
     pairs equally frequent, take the one with the smallest first id, then smallest second id.
  4. Repeat step 3 until the vocabulary, the set of all tokens, is as large as you want it.

The merges, in the order learned, are all that training yields. Encoding replays them in that order,
so that a piece becomes what it became in training. Decoding joins the bytes of tokens. By hand:

  tokens                  the most frequent pair                                    new token
  a a a b d a a a b a c   a a, 4 times: aaa holds two, of which one can be merged   256, aa
  256 a b d 256 a b a c   a tie, 256 a and a b, twice each: a is 97, less than 256  257, ab
  256 257 d 256 257 a c   256 257, twice                                            258, aaab
  258 d 258 a c

>>> tokenizer = BPE().train("aaabdaaabac", vocab_size=259)
>>> tokenizer.merges
{(97, 97): 256, (97, 98): 257, (256, 257): 258}
>>> tokenizer.encode("aaabক")
[258, 224, 166, 149]
>>> tokenizer.decode([258, 224, 166, 149])
'aaabক'

Text is taken as it is. In শাড়ি the letter ড় can be one character, U+09DC, or two, U+09A1 U+09BC:
both look the same, but have different ids. unicodedata.normalize("NFC", text), before training and
before encoding, turns both into the two characters. But then decoding gives back the changed text,
not the one that came in, so that is left to you.
"""
from __future__ import annotations

import codecs, contextlib, copy, functools, json, os, re, shutil, sys, warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import chain, islice
from operator import index

# Punctuation, as a part of a class of a regular expression: the four ranges of ASCII punctuation (_
# included); the danda, the double danda, and ৷, typed for a danda; dashes, quotes, bullets and the
# like. The joiners U+200C and U+200D are not here, as Bangla words hold them.
PUNCT = r"!-/:-@\[-`{-~।॥৷" + "\u2010-\u2027\u2030-\u205E"

# A piece is the first of these that fits. On the right: what each finds in "দাম ৩৫টি, 1250 টাকা।\n"
SPLIT = re.compile(
    rf" ?[^\s\d{PUNCT}]+"  # a word                              "দাম" "টি" " টাকা"
    rf"| ?\d{{1,3}}"       # up to three digits, of any script   " ৩৫" " 125" "0"
    rf"| ?[{PUNCT}]+"      # a run of punctuation                "," "।"
    r"|\s+")               # a run of white space                "\n"
# Each of the first three takes in one space before it. A word is a run of whatever is not white
# space, digit or punctuation, so every character fits one of the four. In GPT-2's pattern a word is
# a run of letters, and vowel signs are not letters (nor are they in Python's \w): টাকা is four
# pieces there, ট|া|ক|া. No byte is lost, but merges are: none can join what the pattern has parted.


# The algorithm, plainly ---------------------------------------------------------------------------

# In the three plain_ functions, and in training further down, the token with the id n is written as
# one character, chr(n). So a piece is a string of tokens, a pair is a string of two, and a merge is
# tokens.replace(pair, new):
#  - each token is one character, so str.replace finds whole tokens, and never the end of one with
#    the beginning of the next;
#  - str.replace goes from left to right, and what it replaces does not overlap;
#  - strings are compared character by character, so the least of several pairs is the one whose
#    first id is smallest, and then the second: min settles a tie as step 3 wants it.

def bytes_as_tokens(piece):
    """Return the UTF-8 bytes of a piece as tokens: in Latin-1, byte n is the character chr(n).

    >>> [ord(token) for token in bytes_as_tokens("ক")]
    [224, 166, 149]
    """
    return piece.encode("utf-8").decode("latin-1")


def plain_train(text, vocab_size):
    """Return {pair: new token}, in the order learned: the four steps above, one by one.

    >>> plain_train("aaabdaaabac", vocab_size=258) == {"aa": chr(256), "ab": chr(257)}
    True
    """
    pieces = Counter(map(bytes_as_tokens, SPLIT.findall(text)))  # {tokens of a piece: its count}
    merges = {}
    for new_id in range(256, vocab_size):
        counts = Counter()
        for tokens, times in pieces.items():
            for a, b in zip(tokens, tokens[1:]):
                counts[a + b] += times
        if not counts:
            break  # each piece is a single token by now
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        new = chr(new_id)
        merges[best] = new
        # Different pieces stay different, as every merge can be undone (see plain_decode): so no
        # key of this dict takes the place of another.
        pieces = {tokens.replace(best, new): times for tokens, times in pieces.items()}
    return merges


def plain_encode(text, merges):
    """Return the ids of a text: in its pieces, every merge is replayed in the order learned.

    So the merge learned first goes first, not the leftmost, nor the longest. If bc was learned
    before ab, abc became a and bc in training, and those are the tokens a model has seen. The
    lesson looks for the earliest merge again and again. Here one pass is enough: a merge makes only
    pairs with its new token, and those were learned after it, so their turn is still to come.

    >>> plain_encode("abc", {"bc": chr(256), "ab": chr(257)})
    [97, 256]
    """
    ids = []
    for tokens in map(bytes_as_tokens, SPLIT.findall(text)):
        for pair, new in merges.items():
            tokens = tokens.replace(pair, new)
        ids.extend(map(ord, tokens))
    return ids


def plain_decode(ids, merges):
    """Return the text of ids: the merges are undone, the last one first, so no byte is lost.

    >>> plain_decode([97, 256], {"bc": chr(256), "ab": chr(257)})
    'abc'
    """
    tokens = "".join(map(chr, ids))
    for pair, new in reversed(list(merges.items())):
        tokens = tokens.replace(new, pair)
    return tokens.encode("latin-1").decode("utf-8", errors="replace")


# The tokenizer ------------------------------------------------------------------------------------

class BPE:
    """A tokenizer. Untrained, it knows the 256 bytes and its special tokens.

    A special token marks what only a program may say: where a text ends, who speaks.

    >>> tokenizer = BPE(special_tokens=["<|end|>"]).train("aaa", vocab_size=258)
    >>> tokenizer
    BPE(258 tokens, special_tokens={'<|end|>': 256})

    Its attributes are for reading only; methods change them:

    >>> tokenizer.merges           # as in plain_train, but in ids; in the order learned
    {(97, 97): 257}
    >>> tokenizer.special_tokens   # the id of each special token
    {'<|end|>': 256}
    >>> tokenizer.vocab[257]       # the bytes of each id
    b'aa'

    Ids have no gaps: the bytes are 0 to 255, then come the special tokens given here. Each later
    token, merge or special, takes the next free id, so no id ever moves. `pattern` is a regular
    expression that finds the pieces; joined, they must give back the whole text. Threads may use a
    tokenizer while one of them trains it: until the training ends, they find it as it was.
    """

    def __init__(self, special_tokens: list[str] | tuple[str, ...] = (),
                 pattern: str | re.Pattern = SPLIT):
        if not isinstance(special_tokens, (list, tuple)):
            raise TypeError(f"special_tokens must be a list of texts, not {special_tokens!r}")
        self.pattern: str = _checked_pattern(pattern)
        self._change(merges={}, special_tokens={})  # sets all the other attributes
        self.add_special_tokens(*special_tokens)

    def _change(self, merges, special_tokens, known=None):
        """Take on these merges and special tokens, with all that follows from them.

        All is worked out first, and then set by a single call, which nothing interrupts half-way.
        So Ctrl-C, a lack of memory and other threads find the tokenizer as it was before, or as it
        is after, never half changed. Each change makes a new encoder; `known` is the one that the
        caller began with (None in __init__ and load: there was none). If another is here now, some
        other change came between, and this raises RuntimeError.
        """
        vocab = {byte: bytes([byte]) for byte in range(256)}
        for (a, b), new_id in merges.items():
            vocab[new_id] = vocab[a] + vocab[b]
        for text, new_id in special_tokens.items():
            vocab[new_id] = text.encode()
        vocab = dict(sorted(vocab.items()))  # special tokens may have ids between those of merges
        bytes_of = list(vocab.values())  # bytes_of[n] is vocab[n], as ids have no gaps, but faster
        encoder = _Encoder(merges, self.pattern)
        if self.__dict__.get("_encoder") is not known:  # .get, as at first there is none
            raise RuntimeError("something else changed the tokenizer meanwhile, so this did not")
        self.__dict__.update(merges=merges, special_tokens=special_tokens, vocab=vocab,
                             _bytes_of=bytes_of, _encoder=encoder)

    def __getstate__(self):  # what copy and pickle take: a copy, as another thread may change it
        return self.__dict__.copy()

    @property
    def vocab_size(self) -> int:
        """The number of tokens: bytes, merges and special tokens."""
        return len(self.vocab)

    def __repr__(self):
        pattern = "" if self.pattern == SPLIT.pattern else f", pattern={self.pattern!r}"
        return (f"{type(self).__name__}({self.vocab_size} tokens, "
                f"special_tokens={self.special_tokens}{pattern})")

    def train(self, text: str | Iterable[str] | Mapping[str, int], vocab_size: int,
              min_frequency: int = 1, verbose: bool = False) -> BPE:
        """Learn merges until there are `vocab_size` tokens, of all kinds together; return self.

        >>> BPE().train(["low", "lower lowest"], vocab_size=258).vocab[257]
        b'low'

        `text` is a string, or an iterable of strings (documents: no token spans two), or a mapping
        from strings to how often each occurs. The text of special tokens is left out. Training ends
        early when no pair occurs `min_frequency` times. It warns if no pair was left at all, or if
        there were `vocab_size` tokens already. `verbose` reports on stderr. Bad input raises
        ValueError or TypeError. After an error or Ctrl-C, the tokenizer is as it was.

        Training can go on later: the merges, replayed on the same text, leave each piece as
        training left it, so the next merge learned is the one that would have come next.
        """
        known, merges, special_tokens = self._encoder, self.merges, self.special_tokens
        size = 256 + len(merges) + len(special_tokens)
        _check_vocab_size(vocab_size, size)
        counts = _count_pieces(text, special_tokens, self.pattern)
        pieces = {_as_tokens(piece, merges): times for piece, times in counts.items()}
        room, learned, too_rare = vocab_size - size, {}, False
        for pair, new, count in islice(_fast_merges(pieces, size), room):
            too_rare = count < min_frequency
            if too_rare:
                break
            a, b = pair  # a string of two tokens
            learned[ord(a), ord(b)] = ord(new)
            if verbose and ord(new) % 100 == 99:  # with the id 299, there are 300 tokens
                _report(f"{ord(new) + 1:,} of {vocab_size:,} tokens; the last pair: {count:,}")
        self._change({**merges, **learned}, special_tokens, known)
        if room == 0 or (len(learned) < room and not too_rare):
            why = "no pair is left" if room else "no room is left"
            warnings.warn(f"stopped at {size + len(learned):,} of {vocab_size:,} tokens: {why}. "
                          "(train takes all texts in one call, not paths to them.)", stacklevel=2)
        return self

    def encode(self, text: str, allowed_special: Iterable[str] = ()) -> list[int]:
        """Return the ids of a text, as plain_encode does, but by `pattern`, and fast.

        >>> tokenizer = BPE(special_tokens=["<|end|>"])
        >>> tokenizer.encode("ক<|end|>", allowed_special=["<|end|>"])
        [224, 166, 149, 256]
        >>> tokenizer.encode("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]

        The text of a special token is ordinary text, since a user may have typed it. It becomes the
        one id only if `allowed_special` names it, or is "all": never allow it in what a user wrote.
        Where several stand, the leftmost is taken first; of two that begin there, the longer.
        """
        _check_text(text)
        if isinstance(allowed_special, str):
            allowed_special = self.special_tokens if allowed_special == "all" else [allowed_special]
        allowed = set(allowed_special or ())
        if not allowed <= set(self.special_tokens):
            raise ValueError(f"allowed_special has {[*allowed - set(self.special_tokens)]}, but "
                             f"the special tokens are {[*self.special_tokens]}")
        ids = []
        encoder = self._encoder  # the same one to the end, even if another thread trains
        for part in _split_at(allowed, text):
            if part in allowed:
                ids.append(self.special_tokens[part])
            else:
                ids.extend(encoder.encode(part))
        return ids

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text of ids. A part of a character becomes U+FFFD, or what `errors` says.

        >>> BPE().decode([224, 166, 149, 224, 166])
        'ক�'
        """
        return self.decode_bytes(ids).decode("utf-8", errors)  # joined: a character may span ids

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ids. A value that is not an id raises ValueError or TypeError.

        >>> BPE().decode_bytes([224, 166])
        b'\\xe0\\xa6'
        """
        _check_ids(ids)
        ids, bytes_of = list(ids), self._bytes_of
        try:
            if min(ids, default=0) >= 0:  # below 0, a list would count from its end
                return b"".join([bytes_of[token_id] for token_id in ids])
        except (IndexError, TypeError):
            pass
        # Something is not an id: look at one value after the other, and name it.
        return b"".join([bytes_of[_checked_id(value, len(bytes_of))] for value in ids])

    def decode_stream(self, ids: Iterable[int]) -> Iterator[str]:
        """Give the text of ids, each part once its characters are whole; joined, it is `decode`'s.

        >>> list(BPE().decode_stream([224, 166, 149, 33]))
        ['ক', '!']

        The bytes of an unfinished character are held back until the next id; if there is none, they
        become U+FFFD.
        """
        _check_ids(ids)
        return codecs.iterdecode((self.decode_bytes([token_id]) for token_id in ids),
                                 "utf-8", errors="replace")

    def add_special_tokens(self, *texts: str) -> None:
        """Give each text the next free id. A text that is empty, or taken, raises ValueError.

        >>> tokenizer = BPE().train("aa", vocab_size=257)
        >>> tokenizer.add_special_tokens("<|user|>", "<|end|>")
        >>> tokenizer.special_tokens
        {'<|user|>': 257, '<|end|>': 258}
        """
        known, merges, special_tokens = self._encoder, self.merges, dict(self.special_tokens)
        for text in texts:
            _check_special_token(text, special_tokens)
            special_tokens[text] = 256 + len(merges) + len(special_tokens)
        self._change(merges, special_tokens, known)

    def save(self, path: str | bytes | os.PathLike) -> None:
        """Write a file of JSON, whole or not at all. The same tokenizer gives the same bytes.

          {"version": 1, "pattern": "…", "special_tokens": {"<s>": 256}, "merges": [[97, 97, 257]]}
        """
        with _replacing(path) as file:
            file.write(_as_json(self._state()))

    def _state(self):
        now = copy.copy(self)  # all of one moment, if another thread trains it
        return {"version": 1, "pattern": now.pattern, "special_tokens": now.special_tokens,
                "merges": [[a, b, new_id] for (a, b), new_id in now.merges.items()]}

    @classmethod
    def load(cls, path: str | bytes | os.PathLike) -> BPE:
        """Return the tokenizer saved at `path`; {"merges": [[a, b, new id], …]} alone will do.

        Each value is checked before it is believed: a file that holds no sound tokenizer raises
        ValueError with its path, the place and the reason.
        """
        tokenizer = cls.__new__(cls)  # not cls(): the __init__ of a subclass may want more
        try:
            with open(path, encoding="utf-8-sig") as file:  # with or without a byte-order mark
                tokenizer.pattern, special_tokens, merges = _checked_state(json.load(file))
        except (ValueError, RecursionError) as error:  # the latter for "[[[[[[…"
            raise ValueError(f"{os.fsdecode(path)} holds no tokenizer: {error}") from None
        tokenizer._change(merges, special_tokens)
        return tokenizer

    def save_huggingface(self, path: str | bytes | os.PathLike) -> None:
        """Write a tokenizer.json for Hugging Face tokenizers, with the same ids for every text.

        The ids are those of `encode(text, allowed_special="all")`: Hugging Face reads special
        tokens in any text. If some would differ, this raises ValueError.
        """
        content = _for_huggingface(copy.copy(self))  # the copy, as in _state, is of one moment
        with _replacing(path) as file:
            file.write(_as_json(content))

    def tiktoken_kwargs(self, name: str) -> dict:
        """Return the arguments of a tiktoken.Encoding with the same ids for every text.

        The ids are those of `encode` with the same `allowed_special`. If some would differ, this
        raises ValueError.
        """
        return dict(name=name, **_for_tiktoken(copy.copy(self)))


# The same, faster ---------------------------------------------------------------------------------

# A stretch is white space and what follows, up to the next white space: "দাম ৩৫টি, 1250 টাকা।" is
# "দাম", " ৩৫টি,", " 1250" and " টাকা।". When it comes again, " ৩৫টি," is one look-up, not three.
# No piece reaches from one stretch into the next: in a piece, white space stands only at the
# beginning. And SPLIT looks neither ahead nor back, so each stretch can be split alone: "a  b" is
# "a", "  ", "b", whole or as "a" and "  b".
STRETCH = re.compile(r"\s*\S+|\s+")
BLOCK = re.compile(r"(?s).{0,8000}\s*\S*")  # 8,000 characters, then on to the end of a stretch


class _Encoder(dict):
    """{stretch or piece: its ids}, for one set of merges. It works out what it lacks, and keeps it.

    Most words come again, and are then found by dict's own code, in C: self[text] gives what is
    kept or, if nothing is, what __missing__ returns. What is kept is never out of date, since other
    merges get another encoder.
    """

    def __init__(self, merges, pattern):
        self.merges, self.pattern = merges, pattern
        self.size = 0  # the bytes that its texts and ids take in memory

    def __reduce__(self):  # how copy and pickle make another: _Encoder(merges, pattern), empty
        return _Encoder, (self.merges, self.pattern)

    def encode(self, text):
        """Yield the ids of a text without special tokens."""
        if self.pattern == SPLIT.pattern:  # block by block: a list of all stretches would be long
            parts = chain.from_iterable(map(STRETCH.findall, BLOCK.findall(text)))
        else:
            parts = _pieces(text, self.pattern)  # with another pattern, a piece may cross stretches
        return chain.from_iterable(map(self.__getitem__, parts))

    def __missing__(self, text):
        """Return the ids of a stretch or piece that is not kept, and keep them."""
        pieces = SPLIT.findall(text) if self.pattern == SPLIT.pattern else [text]
        if len(pieces) == 1:  # the text is a piece: self[piece] below always ends here
            ids = _replay(text.encode(), self.merges)
        else:
            ids = tuple(chain.from_iterable(self[piece] for piece in pieces))
        if len(text) <= 1000:  # a longer one would hardly come again
            self.size += sys.getsizeof(text) + sys.getsizeof(ids)
            if self.size > 32_000_000:  # 32 MB, and the table of dict beside it: start afresh
                self.clear()
                self.size = 0
            self[text] = ids
        return ids


def _replay(data, merges):
    """Return the ids of the bytes of one piece: those of plain_encode, but in nearly linear time.

    plain_encode tries every merge. This one tries only those that are due: a merge is due if its
    pair stands in the piece. It always takes the smallest id that is due. A merge makes only pairs
    with its new token, which were learned after it, so the merges come in the order learned.
    """
    # Tokens keep their places; a merge empties the second place of its pair. right[p] and left[p]
    # are the places of the tokens beside the one at place p. With ab -> 256:
    #   place   0    1    2    3    4             0    1    2    3    4
    #   ids     97   98   97   98   None          256  None 256  None None
    #   right   1    2    3    4                  2         4
    #   left    -1   0    1    2    3             -1        0         2
    # (Blank: no longer read.) The None at the end means "no token". Python reads ids[-1] as the
    # last of ids: so that None stands before the first token too, whose left is -1.
    ids = [*data, None]
    left = list(range(-1, len(data)))
    right = list(range(1, len(data) + 1))
    places = defaultdict(list)  # {id of a merge that is due: the places where its pair begins}
    for place, pair in enumerate(zip(data, data[1:])):
        if pair in merges:
            places[merges[pair]].append(place)
    due = sorted(places)  # a sorted list is a heap: heappop takes its least, heappush adds to it
    while due:
        new_id = heappop(due)
        # From left to right, as str.replace goes. The list is in that order, as one sweep has
        # filled it: the one above for a pair of bytes, else the one below that made the newer token
        # of the pair.
        for place in places[new_id]:
            after = right[place]
            if merges.get((ids[place], ids[after])) != new_id:
                continue  # one of the two tokens has been merged with another since
            ids[place], ids[after] = new_id, None
            before, after = left[place], right[after]
            right[place], left[after] = after, place
            # Two pairs are new: the token before and this one, this one and the token after.
            for start, pair in (before, (ids[before], new_id)), (place, (new_id, ids[after])):
                later = merges.get(pair)  # the id of its merge, greater than new_id
                if later:
                    if later not in places:
                        heappush(due, later)
                    places[later].append(start)
    return tuple([token_id for token_id in ids if token_id is not None])


def _as_tokens(piece, merges):
    """Return the tokens of a piece, a string of characters, after the merges learned so far."""
    return "".join(map(chr, _replay(piece.encode(), merges))) if merges else bytes_as_tokens(piece)


def _fast_merges(pieces, new_id):
    """Yield (pair, new token, count) for each merge that plain_train makes of {tokens: times}.

    plain_train counts all pairs again for each merge. This one counts once, and then corrects: a
    merge visits only the pieces in which its pair has occurred, and changes only the counts of the
    pairs beside it. An occurrence of a pair leads to one visit at most, and a merge makes two new
    ones at most for each token it takes away. So there are about as many visits as tokens to begin
    with. As words are short, the time grows about as the number of distinct words does, and far
    more slowly than the number of merges.
    """
    times = list(pieces.values())  # [3, 1]: the first piece occurs 3 times, the second once
    pieces = list(pieces)          # ["abab", "cab"]
    places = defaultdict(list)     # {"ab": [0, 0, 1], …}: ab is twice in pieces[0], once in [1]
    for i, tokens in enumerate(pieces):
        for a, b in zip(tokens, tokens[1:]):
            places[a + b].append(i)
    counts = {pair: sum([times[i] for i in where]) for pair, where in places.items()}  # {"ab": 7}
    heap = sorted((-count, pair) for pair, count in counts.items())  # [(-7, "ab"), (-3, "ba"), …]
    while heap:
        negative, pair = heappop(heap)  # the least: the highest count, then the least pair
        count = counts[pair]
        # The count in an entry may be too high: other merges take occurrences away, and lower
        # counts[pair] but not the entry. Then the pair goes back with its true count. It is never
        # too low: a merge makes only pairs with its own new token, so a pair gets all its
        # occurrences before it gets its entry.
        if count < -negative:
            if count > 0:
                heappush(heap, (-count, pair))
            continue
        (a, b), new = pair, chr(new_id)
        yield pair, new, count
        new_id += 1
        made = defaultdict(list)  # like places, for the pairs that the new token is in
        for i in set(places.pop(pair)):
            # "xabyab".split("ab") is ["x", "y", ""]: the new token stands between two parts. A
            # piece that has lost the pair since is a single part, and stays as it is.
            first, *others = pieces[i].split(pair)
            pieces[i] = new.join([first, *others])
            left = first[-1:]  # the token to the left of the new one, or "" where the piece begins
            for part in others:
                if left:
                    made[left + new].append(i)
                if part:
                    made[new + part[0]].append(i)
                left = part[-1:] or new  # if the part is empty, two new tokens stand side by side
        for made_pair, where in made.items():
            # Which pair stood where made_pair stands now? With N for ab:
            #   now     xN   Ny   NN      an N on the left of a pair was b,
            #   before  xa   by   ba      an N on the right was a
            # The pair of before has lost as many occurrences as made_pair has won.
            x, y = made_pair
            lost = (b if x == new else x) + (a if y == new else y)
            won = sum([times[i] for i in where])
            counts[lost] -= won
            counts[made_pair] = won
            places[made_pair] = where
            heappush(heap, (-won, made_pair))


# Pieces, checks, files, patterns ------------------------------------------------------------------

def _pieces(text, pattern):
    """Return the pieces of a text. If, joined, they are not the text, this raises ValueError."""
    if pattern == SPLIT.pattern:  # SPLIT leaves nothing out; block by block, to spare memory
        return chain.from_iterable(map(SPLIT.findall, BLOCK.findall(text)))
    pieces = re.findall(pattern, text)
    if "".join(pieces) != text or not all(pieces):
        raise ValueError(f"pattern {pattern!r} leaves out some text, or finds nothing")
    return pieces

def _count_pieces(text, special_tokens, pattern):
    """Return {piece: times}: each distinct piece is trained on once, weighted by its count."""
    if isinstance(text, (str, bytes)) or not isinstance(text, Iterable):
        text = [text]
    counts = Counter()
    for number, document in enumerate(text):
        _check_text(document, f"document {number}")
        times = text[document] if isinstance(text, Mapping) else 1
        if not isinstance(times, int) or times < 0:
            raise ValueError(f"{document!r:.60} cannot occur {times!r} times")
        for part in _split_at(special_tokens, document):
            if part not in special_tokens and times:
                for piece, n in Counter(_pieces(part, pattern)).items():
                    counts[piece] += n * times
    return counts

def _split_at(special_tokens, text):
    """Return [text, special token, text, …]: a split at the leftmost, and there the longest."""
    if not special_tokens:
        return [text]
    longest_first = sorted(special_tokens, key=len, reverse=True)
    any_of_them = "|".join(map(re.escape, longest_first))
    return re.split(f"({any_of_them})", text)  # the group keeps them in the list

def _check_text(text, what="text"):
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a string, not {text!r:.60}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} has a lone surrogate at index {error.start}, which UTF-8 cannot "
                         "hold: text.encode('utf-8', 'replace').decode() cleans it") from None

def _check_vocab_size(vocab_size, least):
    if not isinstance(vocab_size, int):
        raise TypeError(f"vocab_size must be an integer, not {vocab_size!r}")
    if not least <= vocab_size <= sys.maxunicode + 1:  # in training, a token is a character
        raise ValueError(f"vocab_size is {vocab_size:,}, but must be {least:,}, as many tokens as "
                         f"there are already, to {sys.maxunicode + 1:,}")

def _check_ids(ids):
    if not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a list, not {ids!r}: pass [{ids!r}]")

def _checked_id(value, size):
    message = f"{value!r} is not an id: ids are integers, 0 to {size - 1}"
    if not hasattr(value, "__index__"):
        raise TypeError(message)
    if not 0 <= index(value) < size:
        raise ValueError(message)
    return index(value)

def _check_special_token(text, taken=()):
    _check_text(text, "a special token")
    if not text or text in taken:
        raise ValueError(f"special token {text!r} is {'taken' if text else 'empty'}")

def _checked_state(state):
    """Return the pattern, special tokens and merges that a file holds, or raise ValueError."""
    if not isinstance(state, dict):
        raise ValueError(f"an object is due, not {state!r:.60}")
    version, special_tokens = state.get("version", 1), state.get("special_tokens", {})
    listed = state.get("merges")
    if (type(version), type(special_tokens), type(listed)) != (int, dict, list) or version != 1:
        raise ValueError("a list of merges, an object of special tokens and version 1 are due, not "
                         f"{type(listed).__name__}, {type(special_tokens).__name__}, {version!r}")
    for text, token_id in special_tokens.items():
        _check_special_token(text)
        if type(token_id) is not int:
            raise ValueError(f"special token {text!r} has the id {token_id!r}, not an integer")
    size = 256 + len(listed) + len(special_tokens)
    new_ids = set(range(256, size)) - set(special_tokens.values())  # what is left for the merges
    if len(new_ids) != len(listed):  # an id that repeats, or is out of range, takes none away
        raise ValueError(f"the ids of special tokens must all differ, and be 256 to {size - 1}")
    merges, known = {}, set(range(256))
    for merge, new_id in zip(listed, sorted(new_ids)):
        if not (isinstance(merge, list) and [type(value) for value in merge] == [int, int, int]
                and known.issuperset(merge[:2]) and merge[2] == new_id
                and tuple(merge[:2]) not in merges):
            raise ValueError(f"merge {len(merges)} is {merge!r:.60}; due is [a, b, {new_id}], with "
                             "a and b bytes or earlier merges, and not a pair before")
        merges[tuple(merge[:2])] = new_id
        known.add(new_id)
    return _checked_pattern(state.get("pattern", SPLIT)), special_tokens, merges

def _as_json(content):
    return (json.dumps(content, ensure_ascii=False) + "\n").encode()

@contextlib.contextmanager
def _replacing(path):
    """Give a file to write to. At the end it takes the place of `path`; after an error it does not.

    Where nothing can be written, this raises OSError or ValueError before the work is begun.
    """
    name = os.fsdecode(path)
    place = os.path.realpath(name)  # where a link leads
    writable = not os.path.exists(place) or (os.path.isfile(place) and os.access(place, os.W_OK))
    stream = name == "-" or name.startswith(("/dev/std", "/dev/fd/"))  # nothing can replace these
    if stream or not writable:
        raise ValueError(f"{name} is not the name of a regular file that can be written")
    draft = os.path.join(os.path.dirname(place), f".bpe-{os.urandom(8).hex()}")
    try:
        with _naming(name):
            file = open(draft, "xb")
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _naming(name):
            if os.path.exists(place):
                shutil.copymode(place, draft)
            os.replace(draft, place)
    finally:
        with contextlib.suppress(OSError):  # after the replace, there is no draft
            os.remove(draft)

@contextlib.contextmanager
def _naming(name):
    """Have errors name the file that the user knows, not the draft."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, name) from None

def _report(line):
    """Print a line of progress on stderr. If that cannot be done, the work goes on without it."""
    # It may be None, or a pipe that no one reads, or closed, or unable to write Bangla.
    with contextlib.suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()

def _checked_pattern(pattern):
    """Return the source of a pattern, if it splits the characters up to U+2FFF into pieces."""
    try:
        split = re.compile(pattern)
        # With a group, findall would return only what is in it. Patterns whose flags differ are not
        # equal; flags given apart would be lost, since only the source is kept.
        if split.groups or split != re.compile(split.pattern):
            raise ValueError("groups are written (?:…) here, and flags (?i)")
        _check_text(split.pattern, "a pattern")
        _pieces("".join(map(chr, range(0x3000))), split.pattern)
        return split.pattern
    except (re.error, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(f"pattern {pattern!r} does not split text into pieces: {error}") from None

# For other libraries: nothing from here to the tour is needed to understand BPE -------------------

def _for_huggingface(tokenizer):
    """Return the content of a tokenizer.json."""
    # JSON holds text, not bytes. So each byte is written as a character, as GPT-2 does it: one that
    # prints stands for itself; the other 68, 0 to 32, 127 to 160 and 173, are written as the
    # characters 256 to 323. So a space is Ġ, and ক (e0 a6 95) is à¦ķ.
    moved = dict(zip([*range(33), *range(127, 161), 173], range(256, 324)))
    names = [token.decode("latin-1").translate(moved) for token in tokenizer.vocab.values()]
    taken = {names[token_id] for token_id in _ids_by_bytes(tokenizer).values()}
    for text, token_id in tokenizer.special_tokens.items():
        # Decoding turns a token that is all such characters back into bytes: Ġ into a space. Only
        # those of ASCII turn back into themselves.
        turned_back = set(text) <= set(names[:256]) and not text.isascii()
        if text in taken or turned_back:
            raise ValueError(f"special token {text!r} would be read as other bytes there")
        names[token_id] = text
    if any(names[a].startswith("#version") for a, b in tokenizer.merges):
        raise ValueError("a merge that begins with #version is skipped there, like a heading")
    added = [dict(id=token_id, content=text, special=True, normalized=False, lstrip=False,
                  rstrip=False, single_word=False)
             for text, token_id in tokenizer.special_tokens.items()]
    split = dict(type="Split", pattern={"Regex": _portable_pattern(tokenizer.pattern)},
                 behavior="Isolated", invert=False)
    level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
    model = dict(type="BPE", vocab=dict(zip(names, tokenizer.vocab)),
                 merges=[f"{names[a]} {names[b]}" for a, b in tokenizer.merges])
    return dict(version="1.0", added_tokens=added, decoder=level, model=model,
                pre_tokenizer=dict(type="Sequence", pretokenizers=[split, level]))

def _for_tiktoken(tokenizer):
    """Return the arguments of a tiktoken.Encoding, but for its name."""
    # tiktoken has no list of merges: it merges any two neighbours whose bytes together are a token,
    # the one with the smallest id first. That is the same as here, if two neighbours that are the
    # bytes of a token are always that token's own pair. They are, if the bytes of each token,
    # encoded here, become just that token. And no special token may begin with another there.
    ids, special_tokens = _ids_by_bytes(tokenizer), tokenizer.special_tokens
    for token, token_id in ids.items():
        if _replay(token, tokenizer.merges) != (token_id,):
            raise ValueError(f"the bytes of token {token_id}, {token!r}, have other ids")
    for text in special_tokens:
        if any(other != text and other.startswith(text) for other in special_tokens):
            raise ValueError(f"special token {text!r} is the beginning of another")
    return dict(pat_str=_portable_pattern(tokenizer.pattern), mergeable_ranks=ids,
                special_tokens=dict(special_tokens))

def _ids_by_bytes(tokenizer):
    """Return {bytes: id} of bytes and merges. If two merges make the same bytes: ValueError."""
    ordinary = chain(range(256), tokenizer.merges.values())
    ids = {tokenizer.vocab[token_id]: token_id for token_id in ordinary}
    if len(ids) < 256 + len(tokenizer.merges):  # ab+c and a+bc
        raise ValueError("two merges make the same bytes: other libraries cannot have both")
    return ids

def _portable_pattern(pattern):
    r"""Return a pattern that finds the same pieces in other libraries: \s, \d, \w spelled out.

    They differ in what those are; in some escapes; in signs like && in classes; and in loops that
    may go round without finding anything. A pattern with one of these raises ValueError.
    """
    _check_portable(pattern)
    # Ranges of characters stand in classes: so \s, where it is not in one, becomes [\s] first.
    def in_class(found):
        return f"[{found[0]}]" if re.fullmatch(r"\\[sSdDwW]", found[0]) else found[0]

    pattern = re.sub(r"\[(?:\\.|[^\\\]])+\]|\\.", in_class, pattern)
    return re.sub(r"\\(?:([sSdDwW])|x(..)|u(....)|.)", _spelled_out, pattern)

def _check_portable(pattern):
    """Raise ValueError unless the pattern is made of nothing but the parts that are named here."""
    escape = (r"\\(?:[sSdDwWnrtf\[\]\\^$.|?*+(){}&~#/-]"         # \s  \.
              r"|x[\da-fA-F]{2}|u(?![dD][89a-fA-F])[\da-fA-F]{4})")  # \x41  \u0995
    member = rf"(?:{escape}|(?!&&|--|~~)[^\\\[\]])"              # of a class: a
    a_class = rf"\[(?:\^|(?!\^)){member}+\]"                     # [^a-z]
    one = rf"(?:{escape}|{a_class}|[^\\\[\](){{}}^$|*+?])"       # finds one character: a  \s  [a-z]
    times = r"(?:[*+?][+?]?|\{\d+(?:,\d*)?\}(?![+?]))"           # *  +?  {1,3}
    some = rf"(?:{one}\+?)+"                                     # finds one or more: ab+
    loop = rf"\(\?:{some}(?:\|{some})*\){times}"                 # (?:ab+|c)*
    other = rf"\(\?[:=!]|\)(?!{times})|\|"                       # (?:  (?=  (?!  )  |
    end = re.match(rf"(?:{loop}|{one}{times}?|{other})*", pattern).end()
    if end < len(pattern):
        raise ValueError(f"the pattern may mean something else elsewhere, from its character {end} "
                         f"on: {pattern[end:]!r}")

def _spelled_out(escape):
    r"""Return what an escape is written as elsewhere: \s as ranges, \u0995 as \x{0995}."""
    if escape[1]:
        return _ranges(escape[0])
    code = escape[2] or escape[3]
    return f"\\x{{{code}}}" if code else escape[0]

@functools.lru_cache(maxsize=None)  # a look at every character there is takes its time
def _ranges(escape):
    r"""Return \s, \S, \d, \D, \w or \W as ranges of characters, to stand in a class."""
    runs = re.findall(f"{escape}+", "".join(map(chr, range(sys.maxunicode + 1))))
    return "".join(f"\\x{{{ord(run[0]):x}}}-\\x{{{ord(run[-1]):x}}}" for run in runs)


# The tour -----------------------------------------------------------------------------------------

import argparse, inspect, pathlib, timeit, unicodedata

BANGLA_DIGITS = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")
LETTERS_ONLY = r" ?[^\W\d_]+| ?\d{1,3}| ?(?:[^\s\w]|_)+|\s+"  # words as in GPT-2: no vowel signs
HELD_OUT = {  # in no corpus; then the tokens in cl100k_base and o200k_base, by tiktoken 0.14.0
    "English": ("The rider called to say the parcel will arrive after the evening prayer.", 14, 14),
    "Bangla": ("রাইডার ফোন করে বলল পার্সেলটা সন্ধ্যার পরে পৌঁছাবে।", 60, 19),
    "Banglish": ("Rider call kore bollo parcel ta shondhar pore pouchabe.", 16, 15)}

def readable(token: bytes) -> str:
    r"""Return a token for people: letters where they are whole, other bytes in hexadecimal.

    >>> readable(b"\xe0\xa6\x95\xe0\xa6\n")
    'ক⟨e0 a6⟩\\n'
    """
    def in_hexadecimal(found):
        return f"⟨{found[0].encode('utf-8', 'surrogateescape').hex(' ')}⟩"

    text = token.decode("utf-8", "surrogateescape")  # a byte e0 that is no letter becomes U+DCE0
    text = re.sub("[\udc80-\udcff]+", in_hexadecimal, text)
    return held_up(re.sub(r"[\x00-\x1f\x7f-\x9f]", lambda control: repr(control[0])[1:-1], text))

def held_up(text):
    """Return a text with ◌ before it, if it begins with a mark, such as a vowel sign."""
    return "◌" + text if unicodedata.category(text[:1] or " ").startswith("M") else text

def shown(tokenizer, ids):
    """Return the tokens side by side, between bars."""
    return "|".join(readable(tokenizer.vocab[token_id]) for token_id in ids)

def steps(tokenizer, text):
    """Yield the ids of a text: those of its bytes, then after each merge that changes them."""
    pieces = [bytes_as_tokens(piece) for piece in _pieces(text, tokenizer.pattern)]
    yield [ord(token) for token in "".join(pieces)]
    for (a, b), new_id in tokenizer.merges.items():
        merged = [tokens.replace(chr(a) + chr(b), chr(new_id)) for tokens in pieces]
        if merged != pieces:
            pieces = merged
            yield [ord(token) for token in "".join(pieces)]

def experiment(texts, label, tokenizer, size=2000, languages=("English", "Bangla")):
    """Train on nine tenths of some languages; print what the last tenth of each costs."""
    tenth = {language: len(text) // 10 for language, text in texts.items()}
    tokenizer.train([texts[language][:-tenth[language]] for language in languages], size)
    for language, text in texts.items():
        cost = len(tokenizer.encode(text[-tenth[language]:])) / tenth[language]
        print(f"  {label:<23}{language:<9}{cost:.3f} {'█' * round(cost * 30)}")

# Each docstring from here on is what the tour prints above what its function shows.

def cutting(texts, tokenizer):
    """The text is cut into pieces · লেখা টুকরোয় ভাগ হয়
    A merge stays within a piece: a word, up to three digits, punctuation, or white
    space. A Bangla letter or sign is three bytes, so Bangla starts out dearer. (Its
    spaces are one byte, so the average is lower. This is not the lesson's corpus.)
    মার্জ হয় শুধু টুকরোর ভেতরে। টুকরো মানে সামনের ফাঁকসহ একটা শব্দ, সর্বোচ্চ তিনটা
    অঙ্ক, যতিচিহ্ন, বা ফাঁকা জায়গা। বাংলার একটা অক্ষর (কার আর হসন্তও আলাদা অক্ষর)
    তিন বাইট, ইংরেজির এক; তাই শুরুতে বাংলার খরচ বেশি। (ফাঁক এক বাইট, তাই গড় তিনের
    কম। এটা পাঠের কর্পাস নয়।)
    """
    print("  দাম ৩৫টি, 1250 টাকা।  ->  " + "|".join(SPLIT.findall("দাম ৩৫টি, 1250 টাকা।")))
    print("           characters      bytes  bytes/character  distinct pieces")
    for language, text in texts.items():
        n, size, distinct = len(text), len(text.encode()), len(set(SPLIT.findall(text)))
        print(f"  {language:<9}{n:>10,}{size:>11,}{size / n:>17.2f}{distinct:>17,}")

def training(texts, tokenizer):
    """Training: merge after merge · শেখা: একটার পর একটা মার্জ
    Each merge makes the most frequent pair a token. One of the first two, e0 a6 and
    e0 a7, begins every Bangla letter and vowel sign; these follow, and later words
    and parts of words.
    প্রতিটা মার্জে সবচেয়ে বেশি আসা জোড়াটা একটা নতুন টোকেন হয়। প্রথম দুটো e0 a6 আর
    e0 a7: সব বাংলা বর্ণ আর কার এই দুটোর একটা দিয়ে শুরু। তারপর আসে কার আর অক্ষর;
    শেষের দিকে শব্দ আর শব্দের অংশ।
    """
    seconds = timeit.timeit(lambda: tokenizer.train(texts.values(), vocab_size=2000), number=1)
    learned = list(tokenizer.merges.values())
    print("  the first:", shown(tokenizer, learned[:12]))
    print("  late ones:", shown(tokenizer, learned[-360::40]))
    print(f"  256 bytes + 1 special token + {len(learned):,} merges, learned in {seconds:.2f} s")
    try:
        tokenizer.save("tokenizer.json")
        print("  saved in tokenizer.json")
    except (OSError, ValueError) as error:
        print("  not saved:", error)
    sample = "".join(text[:10_000] for text in texts.values())
    start = timeit.default_timer()
    plain = plain_train(sample, 456)
    middle = timeit.default_timer()
    fast = BPE().train(sample, 456)
    times = (middle - start) / (timeit.default_timer() - middle)
    same = [(ord(a), ord(b)) for a, b in plain] == list(fast.merges)
    bangla_times = f"{times:.0f}".translate(BANGLA_DIGITS)
    print(f"  {len(plain)} merges from {len(sample):,} characters: BPE.train learns "
          f"{'the same' if same else 'OTHERS'} as plain_train,\n  {times:.0f} times as fast "
          f"(একই মার্জ, {bangla_times} গুণ দ্রুত)")

def comparing(texts, tokenizer):
    """Three sentences that it never saw · তিনটা অদেখা বাক্য
    If you pay by the token, this table is your bill. cl100k_base is the vocabulary
    of GPT-4, with 100,000 tokens; o200k_base that of GPT-4o, with 200,000; "ours"
    has 2,000. The sentences are about buying and selling, like the corpus, and so
    are cheap here; on other Bangla, where it was measured, ours took 1.3 to 1.5
    times the tokens of o200k_base. In the lesson ours takes 30, 27 and 27 for these
    three: it had another corpus.
    টোকেন গুনে দাম দিতে হয়, তাই এই ছকই খরচের হিসাব। cl100k_base হলো GPT-4-এর
    ভোকাবুলারি, প্রায় এক লাখ টোকেন; o200k_base GPT-4o-এর, প্রায় দুই লাখ; আমাদেরটায়
    (ours) মোটে ২,০০০। বাক্যগুলো কেনাবেচা নিয়ে, কর্পাসও তাই; মেপে দেখা অন্য বাংলায়
    আমাদের টোকেন লাগে o200k_base-এর ১.৩ থেকে ১.৫ গুণ। পাঠে সংখ্যাগুলো ৩০, ২৭, ২৭:
    সেখানে কর্পাস আলাদা, তাই ফলও আলাদা। শেষ সারি: বাংলায় টোকেন ইংরেজির কত গুণ।
    """
    real, source = [], "recorded with tiktoken 0.14.0"
    with contextlib.suppress(Exception):  # tiktoken is not installed, or its files cannot be had
        import tiktoken
        real = [tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")]
        source = f"counted just now with tiktoken {tiktoken.__version__}"
    print("                    characters  bytes   ours  cl100k_base  o200k_base")
    costs = {}
    for language, (text, *recorded) in HELD_OUT.items():
        theirs = [len(encoding.encode(text)) for encoding in real] or recorded
        costs[language] = [len(tokenizer.encode(text)), *theirs]
        sizes = f"{len(text):>10}{len(text.encode()):>7}"
        print("  {:<18}{}{:>7}{:>13}{:>12}".format(language, sizes, *costs[language]))
    times = [bangla / english for bangla, english in zip(costs["Bangla"], costs["English"])]
    print("  {:<35}{:>7.1f}{:>13.1f}{:>12.1f}".format("Bangla / English", *times))
    print("  (cl100k_base and o200k_base: " + source + ")")

def splitting(texts, tokenizer):
    """A sentence is split, a word put together · বাক্য ভাঙে, শব্দ জোড়া লাগে
    A piece starts as bytes, and the merges are replayed on it, in the order
    learned. First a whole sentence, then the word " ফোন", a merge a line; the space
    before it is a byte too.
    টুকরো শুরুতে কয়েকটা বাইট। তাতে মার্জ লাগে, যেটা আগে শেখা সেটা আগে। প্রথমে গোটা
    বাক্যের টোকেন; তারপর " ফোন", প্রতি লাইনে একটা করে মার্জ। সামনের ফাঁকটাও একটা বাইট।
    """
    print(" ", shown(tokenizer, tokenizer.encode(HELD_OUT["Bangla"][0])))
    for ids in steps(tokenizer, " ফোন"):
        print("   ", shown(tokenizer, ids))

def vocabulary_sizes(texts, tokenizer):
    """Vocabulary size · ভোকাবুলারি কত বড়
    Trained on nine tenths of both corpora, measured on the last tenth of each:
    tokens per character, so a shorter bar is cheaper. Each time the vocabulary
    doubles, the cost falls, but by less.
    দুই কর্পাসের দশ ভাগের প্রথম নয় ভাগে শেখা, শেষ ভাগে মাপা: প্রতি অক্ষরে কয়টা টোকেন
    লাগে। দাগ যত ছোট, খরচ তত কম। ভোকাবুলারি যতবার দ্বিগুণ হয় ততবার খরচ কমে, তবে
    প্রতিবার আগের চেয়ে অল্প।
    """
    growing = BPE()  # each training goes on from the one before
    for size in 500, 1000, 2000, 4000, 8000:
        experiment(texts, f"{size:,} tokens", growing, size)

def corpus_mixes(texts, tokenizer):
    """What the corpus is made of · কর্পাসে কোন ভাষা কতটা
    Tokens per character again, with 2,000 tokens. A language that is rare in the
    corpus is very dear. When two share the tokens, each costs a little more.
    আগের মতোই প্রতি অক্ষরে টোকেন, ভোকাবুলারি ২,০০০। যে ভাষা কর্পাসে প্রায় নেই, তার
    খরচ অনেক বেশি। দুই ভাষা একসঙ্গে থাকলে দুটোরই খরচ একটু বাড়ে।
    """
    for languages in ["English"], ["Bangla"], ["English", "Bangla"]:
        experiment(texts, "on " + " and ".join(languages), BPE(), languages=languages)

def split_patterns(texts, tokenizer):
    """The split pattern · টুকরো করার নিয়ম
    The same again, with other pieces. By "letters only", as in GPT-2, each sign
    ends a piece. Each piece takes a token at least, so Bangla stays dear. That
    leaves fewer pairs to merge in Bangla, so more merges go to English, which gets
    a little cheaper. With no splitting, both cost a little more.
    আগের হিসাবই, শুধু টুকরোর নিয়ম আলাদা। GPT-2-এর নিয়মে (letters only) শব্দে শুধু মূল
    বর্ণ থাকে, কার বা হসন্ত এলেই টুকরো শেষ। প্রতি টুকরোয় অন্তত একটা টোকেন, তাই বাংলার
    খরচ বেশিই থাকে। বাংলায় মার্জ করার জোড়া কমে যায়, তাই বেশি মার্জ পড়ে ইংরেজির ভাগে;
    তার খরচ একটু কমে। একেবারে না কাটলে (no splitting) দুই ভাষারই খরচ সামান্য বাড়ে।
    """
    patterns = {"letters only": LETTERS_ONLY, "SPLIT": SPLIT.pattern, "no splitting": r"[\s\S]+"}
    for label, pattern in patterns.items():
        experiment(texts, label, BPE(pattern=pattern))
    for label in "letters only", "SPLIT":
        pieces = len(re.findall(patterns[label], texts["Bangla"])) / len(texts["Bangla"])
        print(f"  {label}: {pieces:.2f} pieces per Bangla character,",
              "|".join(map(held_up, re.findall(patterns[label], "বিশ্ববিদ্যালয়"))))

def typed_or_sent(texts, tokenizer):
    """A special token comes from a program · special token আসে প্রোগ্রাম থেকে
    A user who types <|end|> gets ordinary tokens. A program can ask for its one id.
    কেউ <|end|> টাইপ করলে তা সাধারণ লেখাই, কয়েকটা সাধারণ টোকেন। <|end|>-এর নিজের id
    বসাতে পারে শুধু প্রোগ্রাম।
    """
    text = "ধন্যবাদ<|end|>"
    print(f"  a user types    {text}:", tokenizer.encode(text))
    print(f"  a program sends {text}:", tokenizer.encode(text, allowed_special=["<|end|>"]))

def streaming(texts, tokenizer):
    """Streaming waits for whole characters · streaming গোটা অক্ষরের অপেক্ষায় থাকে
    A token may end inside a character. Decoded alone, such a part shows as \ufffd;
    decode_stream waits for the rest of its bytes.
    টোকেন অক্ষরের মাঝখানেও শেষ হতে পারে; একা decode করলে সেই অংশ হয় \ufffd।
    decode_stream বাকি বাইট না আসা পর্যন্ত অপেক্ষা করে, পরে গোটা অক্ষর দেয়।
    """
    ids = tokenizer.encode("ঈদ মোবারক 🌙")
    print("  the text:      ঈদ মোবারক 🌙")
    print("  each id alone:", "|".join(held_up(tokenizer.decode([token_id])) for token_id in ids))
    print("  decode_stream:", "|".join(map(held_up, tokenizer.decode_stream(ids))))

def speed(texts, tokenizer):
    """Speed · গতি
    The two corpora are encoded, twice. What was worked out the first time is kept,
    and only looked up the second time.
    দুই কর্পাসের লেখা encode করা হয়, দুবার। প্রথমবার একটা টুকরোর টোকেন বের করলে তা
    জমা থাকে, পরের বার শুধু খুঁজে নিলেই হয়।
    """
    text, fresh = "\n".join(texts.values()), copy.deepcopy(tokenizer)  # which keeps nothing yet
    for time in "the first time", "the second time":
        seconds = timeit.timeit(lambda: fresh.encode(text), number=1)
        print(f"  {time:<16}{seconds:.3f} s{len(text.encode()) / 1e6 / seconds:>8.1f} MB/s")

def tour(args):
    """How to read it: a bar | stands between two tokens, or two pieces. ⟨e0 a6⟩ is two
    bytes, in hexadecimal, that are only a part of a character. ◌ stands before a
    token that begins with a sign: ◌া, ◌্.
    যেভাবে পড়বে: খাড়া দাগ | দুই টোকেন বা দুই টুকরোর মাঝের সীমানা। ⟨e0 a6⟩ মানে
    হেক্সাডেসিমেলে লেখা দুইটা বাইট, অক্ষরের একটা অংশ মাত্র। টোকেনের শুরুতে কার, হসন্ত
    বা এমন চিহ্ন থাকলে আগে ◌ বসে: ◌া, ◌্।
    """
    here = pathlib.Path(__file__)
    texts = {"English": "".join(blocks(here.with_name("corpus_en.txt"))),
             "Bangla": "".join(blocks(here.with_name("corpus_bn.txt")))}
    tokenizer = BPE(special_tokens=["<|end|>"])
    print(inspect.getdoc(tour))
    sections = (cutting, training, comparing, splitting, vocabulary_sizes, corpus_mixes,
                split_patterns, typed_or_sent, streaming, speed)
    for number, section in enumerate(sections, 1):
        print(f"\n{number}. {inspect.getdoc(section) or section.__name__}")  # -OO drops docstrings
        section(texts, tokenizer)
        print(end="", flush=True)  # what was shown stays, if the tour is stopped


# The command line ---------------------------------------------------------------------------------

def blocks(path, whole=False, encoding="utf-8", size=1 << 20):
    """Yield the text of a file, or of standard input for "-", in blocks of about `size` characters.

    A block ends before white space that follows another character, as a stretch does: the blocks
    have the pieces of the whole. Line ends stay as they are. `whole` makes all of it one block.
    """
    try:
        with open(0 if path == "-" else path, encoding=encoding, newline="",
                  closefd=path != "-") as file:
            text = file.read() if whole else ""
            done = 0
            while True:
                read = file.read(max(size, len(text)))  # more, while there is no place to cut
                if not read:
                    yield text
                    return
                text += read
                cut = re.match(r"(?s).*\S(?=\s)", text)
                if cut:
                    yield cut[0]
                    text = text[cut.end():]
                done += len(read)
                if sys.stderr and sys.stderr.isatty():
                    _report(f"{path}: {done:,} characters read")
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is not there (show takes a text itself)") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8: {error.reason}. (On Windows, > may write UTF-16, "
                         "but -o does not.)") from None

def must_be_whole(tokenizer):
    """Tell if a file must be one block: could a cut part a piece, or a special token like "a b"?"""
    return tokenizer.pattern != SPLIT.pattern or any(
        re.search(r"\S\s", text) for text in tokenizer.special_tokens)

def run_train(args):
    tokenizer = BPE([typed(text) for text in args.special])
    documents = (block for path in args.files for block in blocks(path, must_be_whole(tokenizer)))
    with _replacing(args.output) as file:  # if it cannot be written, this says so before the work
        tokenizer.train(documents, args.vocab_size, verbose=True)
        file.write(_as_json(tokenizer._state()))
    _report(f"{args.output}: {tokenizer.vocab_size:,} of {args.vocab_size:,} tokens")

def run_encode(args):
    tokenizer = loaded(args.tokenizer)
    with output(args) as file:
        for block in blocks(args.file, must_be_whole(tokenizer)):
            file.write((" ".join(map(str, tokenizer.encode(block))) + "\n").encode())

def run_decode(args):
    tokenizer = loaded(args.tokenizer)
    with output(args) as file:
        for block in blocks(args.file, encoding="utf-8-sig"):
            junk = re.search(r"[^0-9\s]", block)
            if junk:
                word = next(word for word in block.split() if junk[0] in word)
                raise ValueError(f"{word!r:.60} is not an id: ids are whole numbers, with white "
                                 "space between them, as encode writes them")
            file.write(tokenizer.decode_bytes(map(int, block.split())))

def run_show(args):
    tokenizer, text = loaded(args.tokenizer), typed(args.text)
    ids = tokenizer.encode(text)
    for line in steps(tokenizer, text) if args.steps else [ids]:
        print(shown(tokenizer, line))
    print(*ids)
    print(f"{len(ids)} token{'s' * (len(ids) != 1)}")

def run_export(args):
    if os.path.realpath(args.file) == os.path.realpath(args.tokenizer):
        raise ValueError(f"{args.file} is the tokenizer itself: name another file")
    loaded(args.tokenizer).save_huggingface(args.file)

def typed(text):
    """Return an argument as UTF-8, whatever the locale; if it is not, this raises ValueError."""
    return os.fsencode(text).decode()

def loaded(path):
    try:
        return BPE.load(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is not there: run train, or name one with -t") from None

def output(args):
    return _replacing(args.output) if args.output else open(1, "wb", closefd=False)

def parsed_arguments():
    parser = argparse.ArgumentParser(epilog="example: bpe.py train book.txt --vocab-size 4000")
    parser.set_defaults(run=tour)
    commands = parser.add_subparsers(
        metavar="COMMAND", help="without one: a tour of a few seconds, which writes tokenizer.json")
    def command(name, run, help):
        added = commands.add_parser(name, help=help, description=help,
                                    formatter_class=argparse.ArgumentDefaultsHelpFormatter)
        added.set_defaults(run=run)
        return added

    train = command("train", run_train, "learn a tokenizer from files of UTF-8 text")
    encode = command("encode", run_encode, "write the ids of a text")
    decode = command("decode", run_decode, "write the text of ids")
    show = command("show", run_show, "print the tokens of a text, their ids and their number")
    export = command("export", run_export, "write a tokenizer.json for Hugging Face")
    train.add_argument("files", nargs="+", help="files of text; - is standard input")
    train.add_argument("--vocab-size", type=int, default=2000, help="tokens, bytes included")
    train.add_argument("--special", action="append", default=[], help="a special token; or several")
    train.add_argument("-o", "--output", default="tokenizer.json", help="the file to write")
    for convert in encode, decode:
        convert.add_argument("file", nargs="?", default="-", help="- is standard input")
        convert.add_argument("-o", "--output", help="the file to write, if not standard output")
    show.add_argument("text", help="the text itself, not a file")
    show.add_argument("--steps", action="store_true", help="merge by merge, from the bytes on")
    export.add_argument("file", help="the file to write")
    for user in encode, decode, show, export:
        user.add_argument("-t", "--tokenizer", default="tokenizer.json", help="what train wrote")
    return parser.parse_args()

def main():
    """Do what the command line says; return the exit code."""
    try:
        for stream in sys.stdout, sys.stderr:
            if hasattr(stream, "reconfigure"):  # write UTF-8, whatever the terminal says
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        warnings.simplefilter("always")  # a warning is a line here, even with python3 -W error
        warnings.showwarning = lambda message, *where: _report(f"bpe.py: {message}")
        args = parsed_arguments()
        args.run(args)
        print(end="", flush=True)  # so that a write that fails is told here
        return 0
    except KeyboardInterrupt:
        _report("bpe.py: interrupted")
        return 130
    except BrokenPipeError:
        return 1  # whoever reads the output has enough
    except (OSError, ValueError, MemoryError) as error:
        _report(f"bpe.py: {str(error) or type(error).__name__}")
        return 1

if __name__ == "__main__":
    code = main()
    if code:
        os._exit(code)  # sys.exit would try once more to write what cannot be written
