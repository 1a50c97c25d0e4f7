# SPDX-License-Identifier: 0BSD
"""What bpe.py promises, and the tests that hold it to that, in the same order.

 1. Pieces. The split pattern covers every text; Bangla words stay whole; digits go by threes.
 2. Training learns what the plain algorithm learns, pair for pair, on any text, on any machine.
 3. Training takes a string, documents or counts; goes on from what it has; knows when to stop.
 4. Encoding replays the merges as the plain algorithm does, and no text is lost, whatever it is.
 5. Decoding joins bytes before it makes text; streamed text never shows half a letter.
 6. Special tokens come from the program, never from what a user types.
 7. Saving: one file, the same bytes for the same tokenizer, whole or not there, checked when read.
 8. Bad input is refused at the door, in words that tell what to do.
 9. Copies, pickles, threads and processes all encode alike.
10. Hugging Face tokenizers and tiktoken give the same ids.
11. The command line and the tour do what they say; so do the examples in bpe.py and in README.

Run it with `python3 test_bpe.py`, or with pytest. Tests of tokenizers and tiktoken are skipped by
name where those are not installed. SWEEP=all compares every code point with them, not one in 16.
"""
import ast
import base64
import contextlib
import copy
import doctest
import io
import itertools
import json
import os
import pickle
import random
import re
import subprocess
import sys
import tempfile
import threading
import timeit
import unicodedata
import warnings
import weakref
from collections import Counter
from multiprocessing import get_context
from pathlib import Path
from unittest import SkipTest, mock

import bpe
from bpe import BPE, SPLIT

HERE = Path(__file__).resolve().parent
ENGLISH, BANGLA = ((HERE / name).read_bytes().decode() for name in ("corpus_en.txt", "corpus_bn.txt"))
CORPUS = ENGLISH + "\n" + BANGLA
TRAINED = BPE(special_tokens=["<|user|>", "<|end|>"]).train(CORPUS, 2000)
STRANGE = [  # texts on which some tokenizer somewhere lost or changed something
    "", "a", "ক", "🙂", " ", "\n", "\0", "hello", " hello ", "  two", "left   right   ", "\t\n \r\n\r", " \n ",
    "a\r\nb\rc\n", "\ufeffBOM kept\ufeff", "line\u2028line\u2029", "a\x1cb\x1d\x1e\x1f c", "a\x85b\xa0c\u3000d\u2009e",
    "zero\u200bwidth\u2060and\u00adsoft\u180e", "foo_bar __init__", "he said , no .", "x+y=z; 100% #1 @me `q` ~",
    "১,২৫০ টাকা, ২০২৬ সাল। ٣٤٥ 1234567", "শেষ। শুরু॥ গান৷ আহা।।",
    "বিশ্ববিদ্যালয় রাষ্ট্র স্বাস্থ্য ক্ষমতা", "কৰ্ম জ্ঞান দুঃখ চাঁদ",
    "শাড়ি শা\u09dcি", "য়\u09df", "র\u200d্যাব ক্\u200cষ", "ICTবিভাগ cafe\u0301 naïve z\u0323k", "ﬁ ① Å ｱ İ ß",
    "👩‍👩‍👧‍👦 🇧🇩 👍🏽 ☔", "漢字仮名交じり文 ภาษาไทย हिन्दी العربية", "<|end|> <|user|>", "“quoted” — ‘so’… •", "zxqv ঋৠ",
    "\U0001e4d0x \U0001fae9 \U0010ffff \ue000", "a" * 300, "ab" * 200 + " " * 99 + "-" * 99,
]


# The plain algorithm, written from its definition: the oracle for the fast one.

def plain_merge(ids, pair, new):
    out, i = [], 0
    while i < len(ids):
        found = tuple(ids[i:i + 2]) == pair
        out.append(new if found else ids[i])
        i += 2 if found else 1
    return out


def plain_train(text, size):
    words = Counter(tuple(piece.encode()) for piece in SPLIT.findall(text))
    merges = {}
    while 256 + len(merges) < size:
        counts = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += n
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges[best] = 256 + len(merges)
        words = {tuple(plain_merge(word, best, merges[best])): n for word, n in words.items()}
    return merges


def plain_encode(text, merges):
    ids = []
    for piece in SPLIT.findall(text):
        word = list(piece.encode())
        for pair, new in merges.items():
            word = plain_merge(word, pair, new)
        ids += word
    return ids


def random_text(rng, letters, most):
    return "".join(rng.choices(letters, k=rng.randint(0, most)))


def any_text(rng, most=40):
    """A text of characters from all over Unicode, and from its troublesome corners."""
    corners = "ab \n\t\r\0\x1c\x1f\x85\xa0 ,.।॥৷19৩কষািু়্\u200c\u200d\u2028—“🙂é\u0301_-<|>end"
    return "".join(rng.choice(corners) if rng.random() < 0.8 else chr(rng.choice(
        [rng.randrange(0x20, 0x3000), rng.randrange(0x3000, 0xD800), rng.randrange(0xE000, 0x110000)]))
        for _ in range(rng.randint(0, most)))


@contextlib.contextmanager
def refused(error, *words):
    """The block raises `error`, and its message, one line, holds all of `words`."""
    try:
        yield
    except error as caught:
        message = str(caught)
    else:
        raise AssertionError(f"no {error.__name__}")
    assert "\n" not in message and all(word in message for word in words), message


@contextlib.contextmanager
def folder():
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


def from_state(merges, **others):
    """The tokenizer of a file with these merges."""
    with folder() as path:
        (path / "t.json").write_text(json.dumps({"merges": merges, **others}), encoding="utf-8")
        return BPE.load(path / "t.json")


# 1. Pieces

def test_pieces_are_words_with_their_space_digits_by_threes_punctuation_and_white_space():
    for text, pieces in {
            "foo_bar , no": ["foo", "_", "bar", " ,", " no"],
            "Hello world, 1250!": ["Hello", " world", ",", " 125", "0", "!"],
            "আমি বাংলায় গান গাই": ["আমি", " বাংলায়", " গান", " গাই"],
            "শেষ। শুরু": ["শেষ", "।", " শুরু"],
            "গান॥ শেষ৷ আহা।।": ["গান", "॥", " শেষ", "৷", " আহা", "।।"],
            "২০২৬ সালে ٣٤٥": ["২০২", "৬", " সালে", " ٣٤٥"],
            "“ঠিক”—বলল": ["“", "ঠিক", "”—", "বলল"],
            "a  b\n\nc d": ["a", "  ", "b", "\n\n", "c", " d"],
            "a\xa0b\u3000c\u2009d": ["a", "\xa0", "b", "\u3000", "c", "\u2009", "d"]}.items():
        assert SPLIT.findall(text) == pieces, text


def test_vowel_signs_hasanta_nukta_and_joiners_stay_in_their_word():
    for word in ["বিশ্ববিদ্যালয়", "ক্ষমতা", "রাষ্ট্র", "স্বাস্থ্য",
                 "জ্ঞান", "কৰ্ম", "দুঃখ", "চাঁদ", "বাংলা", "শাড়ি", "শা\u09dcি",
                 "র\u200d্যাব", "ক্\u200cষ", "কৌ", "ক\u09c7\u09d7", "ৎ", "cafe\u0301", "ICTবিভাগ"]:
        assert SPLIT.findall(word) == [word], ascii(word)


def test_every_code_point_is_in_some_piece_alone_and_among_others():
    characters = [chr(code) for code in range(sys.maxunicode + 1)]
    for text in "".join(characters), "a".join(characters), " ".join(characters):
        assert "".join(SPLIT.findall(text)) == text


def test_without_the_added_punctuation_the_pieces_are_the_lessons():
    added = "॥৷\u2010-\u2027\u2030-\u205E"
    lesson = re.compile(SPLIT.pattern.replace(added, ""))
    assert SPLIT.pattern.count(added) == 2
    text = re.sub(f"[{added}]", "", CORPUS)
    assert lesson.findall(text) == SPLIT.findall(text)


def test_cutting_at_white_space_first_gives_the_same_pieces():
    rng = random.Random(5)
    texts = STRANGE + [CORPUS, "a b" * 9000 + "  c\n d " * 3000, " " * 20000 + "x" + " y" * 9000]
    for text in texts + [any_text(rng, 300) for _ in range(500)]:
        pieces = [piece for stretch in bpe._cut(text, SPLIT.pattern) for piece in SPLIT.findall(stretch)]
        assert pieces == SPLIT.findall(text), ascii(text[:99])


# 2. Training learns what the plain algorithm learns

def test_the_worked_example():
    # aaabdaaabac: aa stands 4 times (aaa holds it twice); then Z a b d Z a b a c, where Za and ab
    # stand twice each, and ab goes first, since a is 97 and Z 256; then Z Y d Z Y a c.
    tokenizer = BPE().train("aaabdaaabac", 259)
    assert list(tokenizer.merges.items()) == [((97, 97), 256), ((97, 98), 257), ((256, 257), 258)]
    assert tokenizer.encode("aaabdaaabac") == [258, 100, 258, 97, 99]


def test_counts_are_of_adjacent_tokens_and_replacement_is_left_to_right():
    # "aaa" holds aa twice, "bc" holds bc once: two against one. Then Aa and bc are equal: bc is less.
    assert list(BPE().train("aaa bc", 259).merges) == [(97, 97), (32, 98), (256, 97)]
    assert BPE().train("aaaaa", 257).encode("aaaaa") == [256, 256, 97]


def test_of_equal_counts_the_smaller_a_then_the_smaller_b_wins():
    for text, first in {"ba ab": (32, 97), "dc\nab": (97, 98), "ac\nab": (97, 98), "ab\nac": (97, 98)}.items():
        assert next(iter(BPE().train(text, 257).merges)) == first, text


def test_training_splits_by_the_tokenizers_own_pattern():
    assert BPE(pattern=r"\d\d|\D").train("1212", 300).merges == {(49, 50): 256}


def test_merges_never_cross_pieces():
    tokenizer = BPE().train("the end, the end, 2026 the end।\n" * 50, 400)
    for new in tokenizer.merges.values():
        token = tokenizer.vocab[new].decode(errors="ignore")
        assert len(SPLIT.findall(token)) <= 1, token


def test_fast_training_equals_plain_training_on_the_corpora():
    assert list(BPE().train(CORPUS, 262).merges.items()) == list(plain_train(CORPUS, 262).items())
    part = ENGLISH[:3000] + BANGLA[:3000]
    assert list(BPE().train(part, 450).merges.items()) == list(plain_train(part, 450).items())


def test_fast_training_and_encoding_equal_the_plain_ones_where_ties_and_overlaps_are_dense():
    rng = random.Random(1)
    for letters in ["a", "ab", "abc", "aab ", "ab c", "কখ ", "aক।"]:
        for _ in range(30):
            text, other = random_text(rng, letters, 60), random_text(rng, letters, 60)
            fast, plain = BPE().train(text, 256 + rng.randint(0, 40)), plain_train(text, 296)
            assert list(fast.merges.items()) == list(plain.items())[:len(fast.merges)], text
            assert fast.encode(other) == plain_encode(other, fast.merges), (text, other)


def test_the_saved_file_is_the_same_under_any_hash_seed():
    code = ("from bpe import BPE; import sys; BPE(['<a>', '<b>']).train(open('corpus_bn.txt', "
            "encoding='utf-8').read()[:30000], 700).save(sys.argv[1])")
    with folder() as path:
        for seed in "0", "1":
            subprocess.run([sys.executable, "-c", code, str(path / seed)], cwd=str(HERE), check=True,
                           env={**os.environ, "PYTHONHASHSEED": seed})
        assert len({(path / seed).read_bytes() for seed in "01"}) == 1


# 3. What training takes, and when it stops

def test_vocab_size_counts_bytes_special_tokens_and_merges_and_ids_have_no_gaps():
    tokenizer = BPE(["<|end|>"]).train(CORPUS, 1000)
    assert tokenizer.vocab_size == len(tokenizer.vocab) == 1000 and len(tokenizer.merges) == 1000 - 256 - 1
    assert list(tokenizer.vocab) == list(range(1000))
    for (a, b), new in tokenizer.merges.items():
        assert tokenizer.vocab[new] == tokenizer.vocab[a] + tokenizer.vocab[b] and max(a, b) < new


def test_documents_are_counted_together_and_no_pair_spans_two():
    documents = [CORPUS[i:i + 997] for i in range(0, 30000, 997)]
    whole = Counter(itertools.chain.from_iterable(map(SPLIT.findall, documents)))
    expected = BPE().train(whole, 500).merges
    assert BPE().train(iter(documents), 500).merges == BPE().train(documents, 500).merges == expected
    assert BPE().train(["ab", "ab"], 300).merges == {(97, 98): 256}
    assert BPE().train(["hello hello"], 300).merges == BPE().train("hello hello", 300).merges


def test_counted_pieces_give_the_merges_of_their_text():
    assert BPE().train(Counter(SPLIT.findall(BANGLA)), 1000).merges == BPE().train(BANGLA, 1000).merges
    assert BPE().train({"ab": 2, "cd": 3, "ef": 0}, 257).merges == {(99, 100): 256}
    assert BPE(["<s>"]).train({"ab<s>": 2, "ab": 1, "cd": 2}, 258).merges == {(97, 98): 257}
    with refused(ValueError, "'ab'", "-1"):
        BPE().train({"ab": -1, "cd": 3}, 257)
    with refused(ValueError, "'b'", "-1"):
        BPE(["<a>"]).train({"b<a>": 3, "b": -1}, 260)
    with refused(TypeError, "float"):
        BPE().train({"ab": 1.5}, 257)


def test_documents_are_read_one_at_a_time():
    class Document(str):
        pass

    def documents():
        for i in range(50):
            document = Document(f"document {i}")
            alive.append(weakref.ref(document))
            yield document
            del document
            assert sum(reference() is not None for reference in alive) <= 1

    alive = []
    assert BPE().train(documents(), 300).merges and len(alive) == 50


def test_an_interrupted_training_leaves_a_sound_tokenizer():
    for place in range(1, 60, 7):
        tokenizer, calls = BPE(["<|end|>"]), itertools.count()
        tokenizer.encode("the parcel")

        def interrupted(learned=BPE._learn):
            def learn(self, pair):
                if next(calls) == place:
                    self.merges[tuple(map(ord, pair))] = len(self.vocab)
                    raise KeyboardInterrupt
                return learned(self, pair)
            return learn

        with mock.patch.object(BPE, "_learn", interrupted()), refused(KeyboardInterrupt):
            tokenizer.train(ENGLISH[:5000], 500)
        assert tokenizer.encode(ENGLISH[:2000]) == plain_encode(ENGLISH[:2000], tokenizer.merges)
        assert list(tokenizer.vocab) == list(range(257 + place + 1))


def test_training_goes_on_from_the_merges_it_has():
    for special in [], ["<|end|>", "মিতু"]:
        steps = BPE(special)
        for size in 300, 300, 900:
            assert steps.train(BANGLA[:20_000], size) is steps
        assert list(steps.merges.items()) == list(BPE(special).train(BANGLA[:20_000], 900).merges.items())
    later = BPE().train("aa aa", 257)
    later.add_special_tokens("<|end|>")
    assert later.train("aa aa", 259).merges == {(97, 97): 256, (32, 256): 258}


def test_training_clears_what_was_remembered():
    tokenizer = BPE().train("aaa bbb", 260)
    before = tokenizer.encode("a ccc ccc")
    tokenizer.train("ccc ccc ccc", 262)
    assert tokenizer.encode("a ccc ccc") != before
    assert tokenizer.decode(tokenizer.encode("a ccc ccc")) == "a ccc ccc"


def test_training_stops_when_no_pair_is_left():
    for text, merges in {"": 0, "a": 0, " ": 0, "ক": 2, "🙂": 3, "abab": 2, "  \n": 2}.items():
        tokenizer = BPE().train(text, 5000)
        assert (len(tokenizer.merges), tokenizer.vocab_size) == (merges, 256 + merges), text
        assert tokenizer.decode(tokenizer.encode("any ক")) == "any ক"
    assert BPE().train([], 300).merges == BPE().train({}, 300).merges == {}


def test_no_pair_rarer_than_min_frequency_is_merged():
    assert BPE().train("aab\naab\nxyz", 400, min_frequency=2).merges == {(97, 97): 256, (256, 98): 257}
    assert BPE().train("ab ab", 400, min_frequency=3).merges == {}
    assert BPE().train("abc", 300, min_frequency=0).merges == {(97, 98): 256, (256, 99): 257}


def test_the_text_of_a_special_token_is_never_learned():
    text = "hi<|end|>" * 500 + "ok<|end|>"
    for counts in text, [text], {text: 1}:
        tokenizer = BPE(["<|end|>"]).train(counts, 300)
        assert tokenizer.merges == {(104, 105): 257, (111, 107): 258}, counts


def test_progress_goes_to_stderr_and_only_when_asked():
    for verbose in False, True:
        with mock.patch("sys.stderr", io.StringIO()) as err, mock.patch("sys.stdout", io.StringIO()) as out:
            BPE().train(BANGLA[:3000], 500, verbose=verbose)
        assert out.getvalue() == "" and bool(err.getvalue()) is verbose
    assert "500 of 500 tokens" in err.getvalue() and "\r" not in err.getvalue()
    with mock.patch("sys.stderr", io.StringIO()) as err:  # a terminal: one line that rewrites itself
        err.isatty = lambda: True
        BPE().train(BANGLA[:3000], 500, verbose=True)
        bpe._report("done", last=True)
    assert err.getvalue().count("\x1b[K\r") == 3 and err.getvalue().endswith("\rdone\x1b[K\n")


# 4. Encoding

def test_the_earliest_merge_is_applied_first_not_the_leftmost_nor_the_longest():
    tokenizer = from_state([[98, 99, 256], [97, 98, 257], [257, 99, 258]])  # bc, then ab, then ab c
    assert tokenizer.encode("abc") == [97, 256]


def test_untrained_it_gives_the_bytes():
    assert BPE().encode("hé ক") == [104, 195, 169, 32, 224, 166, 149]


def test_a_word_has_its_own_tokens_whatever_stands_beside_it():
    for left, right in [("Okay", ","), ("শেষ", "।"), ("order", " order"), ("দাম", " ৩৫"), ("35", "টি")]:
        assert TRAINED.encode(left + right) == TRAINED.encode(left) + TRAINED.encode(right)
    assert TRAINED.encode("order") != TRAINED.encode(" order")


def test_a_token_is_encoded_as_itself():
    for new in TRAINED.merges.values():
        text = TRAINED.vocab[new].decode(errors="replace")
        if "\ufffd" not in text:
            assert TRAINED.encode(text) == [new], text


def test_fast_encoding_equals_plain_encoding():
    small = BPE().train(CORPUS, 400)
    rng = random.Random(2)
    for text in STRANGE + [ENGLISH[:1000], BANGLA[:1000]] + [any_text(rng) for _ in range(100)]:
        assert small.encode(text) == plain_encode(text, small.merges), ascii(text)


def test_long_pieces_are_encoded_as_plainly_as_short_ones():
    rng = random.Random(3)
    tokenizer = BPE().train(CORPUS + " aaaaaaaa ababab" * 300, 500)
    assert {(97, 97), (97, 98)} <= tokenizer.merges.keys()
    for letters in "a", "ab", "etaoinsh", "কখাি্র":
        text = "".join(rng.choices(letters, k=600))
        assert tokenizer.encode(text) == plain_encode(text, tokenizer.merges), letters


def test_any_text_comes_back_exactly():
    rng = random.Random(4)
    texts = STRANGE + [CORPUS[::9]] + [any_text(rng) for _ in range(200)]
    texts += [" " * n + "two" + " " * n + "words" + " " * n for n in range(20)]
    texts += [chr(code) for code in range(0, 0xD800, 49)]
    for tokenizer in BPE(), TRAINED, BPE(pattern=r"(?s).+?"), BPE(pattern=r"\w+|\W"):
        for text in texts:
            assert tokenizer.decode(tokenizer.encode(text)) == text, ascii(text)


def test_every_code_point_comes_back():
    text = "".join(map(chr, itertools.chain(range(0xD800), range(0xE000, 0x110000))))
    assert BPE().decode(BPE().encode(text)) == text


def test_nothing_is_normalised():
    one, two = "শা\u09dcি", "শা\u09a1\u09bcি"
    assert unicodedata.normalize("NFC", one) == two and TRAINED.encode(one) != TRAINED.encode(two)


def test_ids_that_are_no_characters_of_text_are_ids_all_the_same():
    many = BPE([f"<{i}>" for i in range(57_000)])  # beyond U+D800, where characters are surrogates
    assert many.encode("a<55500><56999>", ["<55500>", "<56999>"]) == [97, 55_756, 57_255]


def test_what_is_remembered_is_not_the_callers_list():
    ids = TRAINED.encode("the parcel the parcel")
    expected = list(ids)
    ids.clear()
    assert TRAINED.encode("the parcel the parcel") == expected


def test_memory_is_bounded_and_forgetting_changes_nothing():
    lengths = bpe._Memory(len)
    for number in range(140_000):
        assert lengths[str(number)] == len(str(number))
    assert len(lengths) == 140_000 - (1 << 17)
    assert lengths["x" * 1000] == 1000 and "x" * 1000 not in lengths


# 5. Decoding

def test_bytes_are_joined_before_they_become_text():
    ids = BPE().encode("ক")
    assert len(ids) == 3 and BPE().decode(ids) == "ক"
    assert BPE().decode(ids[:2]) == "\ufffd" and BPE().decode_bytes(ids[:2]) == b"\xe0\xa6"
    assert BPE().decode(ids[:2], errors="ignore") == ""
    with refused(UnicodeDecodeError, "unexpected end"):
        BPE().decode(ids[:2], errors="strict")
    assert BPE().decode([]) == "" and BPE().decode_bytes(iter([])) == b""


def test_special_tokens_are_shown():
    ids = TRAINED.encode("hi<|end|>", allowed_special="all")
    assert ids[-1] == 257 and TRAINED.decode(ids) == "hi<|end|>"
    assert TRAINED.encode(TRAINED.decode(ids), allowed_special="all") == ids


def test_streamed_text_joined_is_the_decoded_text_and_letters_are_whole():
    rng = random.Random(6)
    for text in STRANGE + [BANGLA[:2000]]:
        parts = list(TRAINED.decode_stream(TRAINED.encode(text)))
        assert "".join(parts) == text and all(parts), text
        assert all("\ufffd" not in part for part in parts)
    for _ in range(500):  # ids as a bad model may give them
        ids = [rng.randrange(256) if rng.random() < 0.7 else rng.randrange(2000) for _ in range(20)]
        assert "".join(TRAINED.decode_stream(iter(ids))) == TRAINED.decode(ids)


# 6. Special tokens

def test_a_user_cannot_type_a_special_token():
    typed = "please <|end|> ignore <|user|>"
    ids = TRAINED.encode(typed)
    assert not set(ids) & set(TRAINED.special_tokens.values()) and TRAINED.decode(ids) == typed
    assert 256 not in TRAINED.encode(typed, allowed_special="<|end|>")


def test_the_leftmost_then_the_longest_special_token_is_taken():
    tokenizer = BPE(["<a>", "<a><b>", "<b>", "end of turn", "\n\n", "<|শেষ|>", "  "])
    for text, ids in {
            "<a><b>": [257], "<a><a><b>": [256, 257], "<b><a>": [258, 256], "x<a": [120, 60, 97],
            "a end of turn b": [97, 32, 259, 32, 98], "\n\n\n": [260, 10], "<|শেষ|>": [261],
            "a   b": [97, 262, 32, 98]}.items():
        assert tokenizer.encode(text, allowed_special="all") == ids, text
        assert tokenizer.decode(ids) == text
    assert tokenizer.encode("<a><b>", allowed_special={"<b>"}) == [60, 97, 62, 258]


def test_the_longest_special_token_is_taken_whatever_the_order():
    texts = [f"<{i}>{tail}" for i in range(20) for tail in ("", "b")]
    for order in texts, texts[::-1]:
        tokenizer = BPE(order)
        assert tokenizer.encode("<7>b<7>c", "all") == [*map(tokenizer.special_tokens.get, ("<7>b", "<7>")), 99]
        assert tokenizer.train("".join(f"<{i}>bc" for i in range(20)), 400).merges == {}


def test_special_tokens_take_the_next_free_ids_in_the_order_given():
    tokenizer = BPE(["<z>", "<a>"]).train("aaaa", 300)
    assert tokenizer.special_tokens == {"<z>": 256, "<a>": 257} and tokenizer.merges == {(97, 97): 258, (258, 258): 259}
    tokenizer.add_special_tokens("<pad>", "<m>")
    assert tokenizer.special_tokens == {"<z>": 256, "<a>": 257, "<pad>": 260, "<m>": 261}
    assert tokenizer.encode("aaaa<pad>", allowed_special=["<pad>"]) == [259, 260] and tokenizer.vocab_size == 262


# 7. Saving and loading

def test_a_loaded_tokenizer_is_equal_and_saves_the_same_bytes():
    rng = random.Random(7)
    odd = BPE(["end of turn", "\n\n", "<|শেষ|>", '"\\'], pattern=r"\S+|\s+").train("## ## a, b" * 9, 270)
    odd.add_special_tokens("<pad>")
    with folder() as path:
        for tokenizer, name in (TRAINED, "t.json"), (odd, "মডেল file.json"), (BPE(), "empty.json"):
            tokenizer.save(path / name)
            loaded = BPE.load(str(path / name))
            for attribute in "merges", "vocab", "special_tokens", "pattern":
                assert getattr(loaded, attribute) == getattr(tokenizer, attribute)
            assert list(loaded.merges) == list(tokenizer.merges)
            for text in STRANGE + [any_text(rng) for _ in range(300)]:
                assert loaded.encode(text, "all") == tokenizer.encode(text, "all"), ascii(text)
            loaded.save(path / "again.json")
            assert (path / "again.json").read_bytes() == (path / name).read_bytes()


def test_the_file_is_json_in_utf8():
    with folder() as path:
        BPE(["<|শেষ|>"]).train("aaa", 258).save(path / "t.json")
        assert (path / "t.json").read_bytes().decode() == (
            '{"version": 1, "pattern": ' + json.dumps(SPLIT.pattern, ensure_ascii=False)
            + ', "special_tokens": {"<|শেষ|>": 256}, "merges": [[97, 97, 257]]}\n')
        (path / "bom.json").write_bytes(b"\xef\xbb\xbf" + (path / "t.json").read_bytes())
        assert BPE.load(path / "bom.json").merges == {(97, 97): 257}  # as some editors save it


def test_a_subclass_loads_as_itself():
    class Tokenizer(BPE):
        pass

    with folder() as path:
        TRAINED.save(path / "t.json")
        assert type(Tokenizer.load(path / "t.json")) is Tokenizer


def test_the_lessons_bare_file_loads():
    assert from_state([[97, 97, 256], [256, 97, 257]]).encode("aaaa") == [256, 256]


def test_a_failing_save_leaves_the_old_file_and_no_other():
    with folder() as path:
        TRAINED.save(path / "t.json")
        before = (path / "t.json").read_bytes()
        def full(*_):
            assert next(path.glob(".bpe-*/draft")).stat().st_size > 99  # written whole, and beside
            raise OSError("disk full")

        for step in "os.fsync", "os.replace":
            with mock.patch(step, full), refused(OSError, "disk full"):
                BPE().save(path / "t.json")
        assert os.listdir(path) == ["t.json"] and (path / "t.json").read_bytes() == before
        with refused(ValueError, "no regular file"):
            BPE().save(path)
        if os.name == "posix":
            os.mkfifo(path / "pipe")
            os.symlink("t.json", path / "link")  # the file it points to is written
            with refused(ValueError, "no regular file"):
                BPE().save(path / "pipe")
            BPE().save(path / "link")
            assert (path / "link").is_symlink() and BPE.load(path / "t.json").merges == {}


def test_unsound_files_are_refused_with_the_place_and_the_reason():
    good = [[97, 97, 256], [256, 97, 257]]
    for content, words in {
            '{"merges": [[97, 97, 2': ["line 1 column"], "": ["line 1 column 1"], "[1, 2]": ["not a mapping"], "null": ["not a mapping"],
            "[" * 100_000: [], '{"special_tokens": {}}': ["merges"], '{"merges": {}}': [],
            json.dumps({"merges": good, "version": 2}): ["version 1 is expected", "version 2"],
            json.dumps({"merges": good, "version": "1"}): ["version"],
            json.dumps({"merges": good, "version": True}): ["version"],
            json.dumps({"merges": good, "version": 1.0}): ["version"],
            json.dumps({"merges": good, "pattern": "("}): [], json.dumps({"merges": good, "pattern": "a"}): ["pattern"],
            json.dumps({"merges": good, "pattern": None}): [],
            **{json.dumps({"merges": good[:1] + [bad]}): ["merge 1", "257"] for bad in (
                [97, 98.0, 257], [True, 97, 257], [-1, 97, 257], [97, 257, 257], [97, 97, 257], [97, 98, 258],
                [97, 98, 256], [97, 98], [97, 98, 257, 0], "abc", None, 5,
                [10**30, 97, 257], ["a", "b", 257], [[], 97, 257])},
            json.dumps({"merges": [[97, 256, 257]], "special_tokens": {"<a>": 256}}): ["merge 0"],
            **{json.dumps({"merges": good, "special_tokens": bad}): [] for bad in (
                {"<a>": 98}, {"<a>": 259}, {"<a>": -1}, {"<a>": 258.0}, {"<a>": True}, {"<a>": "258"}, {"": 258},
                {"<a>": 258, "<b>": 258}, {"<a>": 256}, {"<a>": [258]}, ["<a>"], {"\ud800": 258}, 5)},
            }.items():
        with folder() as path:
            (path / "bad.json").write_text(content, encoding="utf-8")
            with refused(ValueError, "bad.json", *words):
                BPE.load(path / "bad.json")
                print("accepted:", content[:200])
    with folder() as path, refused(FileNotFoundError, "none.json"):
        BPE.load(path / "none.json")
    with folder() as path, refused(ValueError, "pickle.json"):
        (path / "pickle.json").write_bytes(pickle.dumps(TRAINED))
        BPE.load(path / "pickle.json")
    with folder() as path, refused(ValueError, "latin.json", "utf-8"):
        (path / "latin.json").write_bytes('{"é": 1}'.encode("latin-1"))
        BPE.load(path / "latin.json")


# 8. Bad input

def test_what_is_no_text_is_refused():
    for bad in b"abc", None, 5, 1.5, [1]:
        with refused(TypeError, "must be a string", repr(bad)):
            TRAINED.encode(bad)
    for bad in b"", b"abc", None, 5, [b"abc"], ["a", None], {5: 1}:
        fresh = BPE()
        with refused(TypeError, "must be a string"):
            fresh.train(bad, 300)
        assert fresh.merges == {}


def test_a_lone_surrogate_is_refused_with_its_place_and_nothing_changes():
    with refused(ValueError, "index 3", "'replace'"):
        TRAINED.encode("ok \ud800 end")
    for bad, words in {"ok \ud800 end": ["index 3"], ("fine fine", "bad \udfff"): ["document 1", "index 4"]}.items():
        fresh = BPE()
        with refused(ValueError, *words):
            fresh.train(bad, 300)
        assert fresh.merges == {} and fresh.encode("fine") == list(b"fine")
    assert "ok \ud800 end".encode("utf-8", "replace").decode() == "ok ? end"  # the remedy named
    with refused(ValueError, "surrogate"):
        BPE(["\ud800"])


def test_a_vocabulary_below_what_it_holds_is_refused():
    for tokenizer, size, least in (BPE(), 100, 256), (BPE(["<a>", "<b>", "<c>"]), 257, 259), (TRAINED, 1999, 2000):
        with refused(ValueError, str(size), f"below the {least} known tokens"):
            tokenizer.train("hello hello", size)
    for bad in 300.5, "300", None:
        with refused(TypeError):
            BPE().train("hello hello", bad)


def test_what_is_no_id_is_refused():
    for bad in 10**9, -1, 2000, 97.0, "a", None:
        error = ValueError if isinstance(bad, int) else TypeError
        for decode in TRAINED.decode, TRAINED.decode_bytes, lambda ids: list(TRAINED.decode_stream(ids)):
            with refused(error, repr(bad), "0 to 1999"):
                decode([97, bad])
    for decode in TRAINED.decode, TRAINED.decode_bytes, TRAINED.decode_stream:
        with refused(TypeError, "pass [97]"):
            decode(97)
    with refused(ValueError, "5000"):
        TRAINED.decode(iter([type("Id", (), {"__index__": lambda self: 97})(), 5000]))


def test_special_tokens_that_are_empty_repeated_or_no_text_are_refused():
    for bad in [""], ["<a>", "<a>"], ["<new>", ""]:
        with refused(ValueError, repr(bad[-1]), "taken" if bad[-1] else "empty"):
            BPE(bad)
    for bad in "<a>", {"<a>", "<b>"}, frozenset({"<a>"}), {"<a>": 999}, [5], [None]:
        with refused(TypeError):
            BPE(bad)
    tokenizer = BPE(["<a>"])
    with refused(ValueError, "'<a>'"):
        tokenizer.add_special_tokens("<b>", "<a>")
    assert tokenizer.special_tokens == {"<a>": 256}


def test_allowing_what_is_no_special_token_is_refused():
    for bad in ["<|nope|>"], ["<|end|>", "x"], "<|nope|>", [None, "x"]:
        with refused(ValueError, "allowed_special", "<|end|>"):
            TRAINED.encode("text", allowed_special=bad)


def test_a_pattern_that_loses_text_is_refused():
    for bad in (r"[a-z]+", r"\w+|\s+", r"", r"a*|.", r"a*|[\s\S]", r"[\0-\u2ffe]", r"([\s\S])", r"(\w+)|\W", r"[^\W\d_]+|\d+|[^\s\w]+|\s+", "(", None, b"[^a]|a",
                re.compile(r"a|.", re.DOTALL), r"(?=a)|[\s\S]", r"a{99999999999}|[\s\S]",
                "(?:" * 5000 + "a" + ")" * 5000,
                "[\ud800a]|[\\s\\S]"):
        with refused(ValueError, "pattern"):
            BPE(pattern=bad)
    sly = BPE(pattern=r"(?s)[^🙂]|🙂(?=!)")
    assert sly.decode(sly.encode("🙂!")) == "🙂!"
    for text in "🙂?", "sly 🙂":
        with refused(ValueError, "leaves out"):
            sly.encode(text)
    with refused(ValueError, "finds nothing"):
        BPE(pattern=r"(?s)(?=🙂!)|.").encode("🙂!")


# 9. Copies, pickles, threads, processes

def encode_elsewhere(tokenizer, text):
    return tokenizer.encode(text, allowed_special="all")


def test_copies_pickles_threads_and_processes_encode_alike():
    text = BANGLA[:5000] + "<|end|>"
    expected = TRAINED.encode(text, allowed_special="all")
    for twin in pickle.loads(pickle.dumps(TRAINED)), copy.deepcopy(TRAINED), copy.copy(TRAINED):
        assert twin.encode(text, allowed_special="all") == expected and twin.merges is not TRAINED.merges
    fresh, results = copy.copy(TRAINED), []
    threads = [threading.Thread(target=lambda: results.append(fresh.encode(text, "all"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 8
    with get_context("spawn").Pool(2) as pool:
        assert pool.starmap(encode_elsewhere, [(TRAINED, text)] * 4) == [expected] * 4


# 10. Hugging Face tokenizers and tiktoken

def library(name):
    try:
        return __import__(name)
    except ImportError:
        raise SkipTest(f"{name} is not installed") from None


def carried_over(rng):
    """Tokenizers of every sort, and the texts to compare them on."""
    late = BPE(["<|শেষ|>"]).train(CORPUS, 900)
    late.add_special_tokens("<pad>", " x ", "pad>", "♥", "é♥")
    gpt2_like = r"'s|'t| ?[^\W\d_]+| ?\d{1,}| ?[^\s\w]+|\s+(?!\S)|\s+|_"
    texts = STRANGE + [CORPUS[i:i + 400] for i in range(0, len(CORPUS), 4000)] + [any_text(rng) for _ in range(1000)]
    own = [BPE(pattern=gpt2_like).train(CORPUS, 800), BPE(pattern=r"[\s\S]")]
    return [TRAINED, late, BPE(), *own], texts


def exported(tokenizer):
    with folder() as path:
        tokenizer.save_huggingface(path / "tokenizer.json")
        return library("tokenizers").Tokenizer.from_file(str(path / "tokenizer.json"))


def test_hugging_face_gives_the_same_ids():
    library("tokenizers")
    tokenizers, texts = carried_over(random.Random(8))
    for tokenizer in tokenizers:
        theirs = exported(tokenizer)
        assert theirs.get_vocab_size() == tokenizer.vocab_size
        assert theirs.decode([97, *tokenizer.special_tokens.values()]) == "a"  # special there too
        assert {text: theirs.token_to_id(text) for text in tokenizer.special_tokens} == tokenizer.special_tokens
        for text, encoded in zip(texts, theirs.encode_batch(texts)):
            assert encoded.ids == tokenizer.encode(text, allowed_special="all"), ascii(text)
            assert theirs.decode(encoded.ids, skip_special_tokens=False) == text, ascii(text)


def test_tiktoken_gives_the_same_ids():
    tiktoken = library("tiktoken")
    tokenizers, texts = carried_over(random.Random(9))
    for tokenizer in tokenizers:
        kwargs = tokenizer.tiktoken_kwargs("mine")
        assert kwargs["special_tokens"] is not tokenizer.special_tokens
        theirs = tiktoken.Encoding(**kwargs)
        assert theirs.name == "mine"
        assert theirs.n_vocab == tokenizer.vocab_size
        for text in texts:
            assert theirs.encode(text, allowed_special="all") == tokenizer.encode(text, allowed_special="all"), ascii(text)
            assert theirs.encode_ordinary(text) == tokenizer.encode(text), ascii(text)
            assert theirs.decode(theirs.encode_ordinary(text)) == text, ascii(text)


def swept():
    """Texts that hold every code point alone, after and before a letter, and after a space."""
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace() or chr(code).isdecimal()]
    step = 1 if os.environ.get("SWEEP") == "all" else 16
    codes = [*range(0, 0xD800, step), *range(0xE000, 0x110000, step), *map(ord, spaces)]
    for i in range(0, len(codes), 10_000):
        yield "".join(f"{c}a{c} {c}\n{c}" for c in map(chr, codes[i:i + 10_000]))


def test_hugging_face_splits_at_every_code_point_as_we_do():
    library("tokenizers")
    split = exported(BPE()).pre_tokenizer[0]
    for text in swept():
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == SPLIT.findall(text)


def test_tiktoken_splits_at_every_code_point_as_we_do():
    # Its pieces can not be seen, but a piece that is a token comes out as one id.
    tiktoken = library("tiktoken")
    kwargs = BPE().tiktoken_kwargs("pieces")
    for text in swept():
        pieces = [piece.encode() for piece in SPLIT.findall(text)]
        ranks = dict(kwargs["mergeable_ranks"])
        for piece in pieces:
            ranks.setdefault(piece, len(ranks))
        theirs = tiktoken.Encoding(**{**kwargs, "mergeable_ranks": ranks})
        assert theirs.encode_ordinary(text) == [ranks[piece] for piece in pieces]


def test_what_cannot_be_carried_over_exactly_is_refused():
    warnings.simplefilter("ignore", FutureWarning)  # of [a&&b] and [[a]: that is the point
    twice = from_state([[97, 98, 256], [98, 99, 257], [256, 99, 258], [97, 257, 259]])  # abc in two ways
    never = from_state([[98, 99, 256], [97, 98, 257], [257, 99, 258]])  # abc is encoded as a bc
    neither, hugging_face, tiktoken = (False, False), (True, False), (False, True)
    for tokenizer, words, carried in [
            (twice, "same bytes", neither), (BPE(["a"]), "same bytes", neither), (never, "258", hugging_face),
            (BPE(["<a>", "<a>b"]), "special token '<a>'", hugging_face),
            (BPE(pattern=r"[\s\S]+").train("#versions #versions", 290), "#version", tiktoken),
            (BPE(["é"]), "special token 'é'", tiktoken), (BPE(["Ġa"]), "special token 'Ġa'", tiktoken),
            *((BPE(pattern=pattern), "pattern", neither) for pattern in [
                r"\b[\s\S]|[\s\S]", r"(?i:a)|[\s\S]", r"^a|[\s\S]", r"a$|[\s\S]", r"[a&&b]|[\s\S]", r"[+--b]|[\s\S]",
                r"[a~~b]|[\s\S]", r"\a|[\s\S]", r"(?<=a)b|[\s\S]",
                r"\x41|[\s\S]", r"[\s\S]{1,2}?", r"\u0041|[\s\S]", r"[[a]|[\s\S]", r"[][]|[^][]", r"a{,2}b|[\s\S]",
                *[r"[\s\S]{1,2}+"] * (sys.version_info >= (3, 11)),  # possessive, in Python alone
                r"b|[^]|[a]|[\s\S]", r"(?=a)*b|[\s\S]"])]:
        with folder() as path:
            for export, fine in zip((lambda: tokenizer.save_huggingface(path / "t.json"),
                                     lambda: tokenizer.tiktoken_kwargs("t")), carried):
                with contextlib.nullcontext() if fine else refused(ValueError, words):
                    export()
            assert os.listdir(path) == ["t.json"] * carried[0], tokenizer.pattern


def test_recorded_token_counts_are_the_real_ones():
    tiktoken = library("tiktoken")
    try:
        real = [tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")]
    except Exception as error:
        raise SkipTest(f"the files of cl100k_base and o200k_base are not to be had: {error}") from None
    for text, *recorded in bpe.HELD_OUT.values():
        assert recorded == [len(encoding.encode(text)) for encoding in real]


# 11. The command line, the tour, the examples

BPE_PY = [sys.executable, "-S", str(HERE / "bpe.py")]  # -S: with the standard library alone


def run(*arguments, stdin=b"", cwd=None, **environment):
    """Return (exit code, stdout, stderr) of bpe.py."""
    done = subprocess.run([*BPE_PY, *arguments], input=stdin, cwd=str(cwd or HERE),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_command_line_from_training_to_the_same_bytes_again():
    for environment in {}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "cp1252"}:
        with folder() as path:
            data = "\ufeffবাংলা ভাষার অনেক শব্দ text\r\nline\rend\0 <|end|>  \u2028 🙂 no newline".encode()
            (path / "বই.txt").write_bytes(data * 20)
            code, out, err = run("train", "বই.txt", "--vocab-size", "310", "--special", "<|end|>", "--special", "<|শেষ|>", "-o", "t.json",
                                 cwd=path, **environment)
            assert (code, out) == (0, b"") and b"t.json: 310 tokens" in err and b"\r" not in err, err
            code, ids, err = run("encode", "-t", "t.json", "বই.txt", cwd=path, **environment)
            tokenizer = BPE.load(path / "t.json")
            expected = " ".join(map(str, tokenizer.encode((data * 20).decode()))) + "\n"
            assert (code, ids, err) == (0, expected.encode(), b"")
            assert tokenizer.special_tokens == {"<|end|>": 256, "<|শেষ|>": 257}
            assert run("encode", "-t", "t.json", stdin=data * 20, cwd=path, **environment) == (0, ids, b"")
            assert run("encode", "-t", "t.json", "-", stdin=b"1\n", cwd=path, **environment) == (0, b"49 10\n", b"")
            assert run("decode", "-t", "t.json", "-", stdin=ids, cwd=path, **environment) == (0, data * 20, b"")
            code, out, err = run("show", "বাংলা 🙂x", "-t", "t.json", cwd=path, **environment)
            tokens = "|".join(bpe.readable(tokenizer.vocab[id]) for id in tokenizer.encode("বাংলা 🙂x"))
            assert (code, out, err) == (0, (tokens + "\n").encode(), b"")


def test_command_line_defaults():
    with folder() as path:
        code, out, err = run("train", str(HERE / "corpus_en.txt"), cwd=path)
        assert code == 0 and b"2,000 of 2,000 tokens" in err and err.endswith(b"\ntokenizer.json: 2,000 tokens\n")
        assert run("decode", stdin=b"224 166", cwd=path) == (0, b"\xe0\xa6", b"")
        code, out, err = run("train", "বই.txt", cwd=path, PYTHONIOENCODING="cp1252")
        assert (code, err.count(b"\n")) == (1, 1) and "বই.txt".encode() in err


def test_command_line_exports():
    with folder() as path:
        TRAINED.save(path / "tokenizer.json")
        code, out, err = run("export", "--huggingface", "hf.json", "--tiktoken", "ours.tiktoken", cwd=path)
        TRAINED.save_huggingface(path / "expected.json")
        written = json.loads((path / "hf.json").read_bytes())
        assert all(isinstance(merge, str) for merge in written["model"]["merges"])  # as old readers want them
        assert [[k for k, v in token.items() if v is True] for token in written["added_tokens"]] == [["special"]] * 2
        assert (path / "hf.json").read_bytes() == (path / "expected.json").read_bytes()
        lines = [line.split() for line in (path / "ours.tiktoken").read_text().splitlines()]
        assert (code, err) == (0, b"") and len(lines) == 1998
        assert {base64.b64decode(token): int(id) for token, id in lines} == TRAINED.tiktoken_kwargs("")["mergeable_ranks"]
        library("tiktoken")
        names = {}
        exec(out.decode().replace("'ours.tiktoken'", repr(str(path / "ours.tiktoken"))), names)
        text = BANGLA[:1000] + "<|end|>"
        assert names["encoding"].encode(text, allowed_special="all") == TRAINED.encode(text, allowed_special="all")


def test_command_line_errors_are_one_line_and_a_non_zero_exit():
    with folder() as path:
        TRAINED.save(path / "tokenizer.json")
        (path / "latin.txt").write_bytes(b"caf\xe9")
        (path / "empty.json").write_bytes(b"")
        for arguments, stdin, words in (
                (["train", "none.txt"], b"", "none.txt"), (["train", "latin.txt"], b"", "latin.txt is not UTF-8"),
                (["encode", "none.txt"], b"", "none.txt"),
                (["encode", "-t", "none.json"], b"x", "none.json"), (["encode", "-t", "empty.json"], b"x", "empty.json"),
                (["decode"], b"97 99999", "99999"), (["decode"], b"1.5", "1.5"),
                (["train", "-", "--vocab-size", "9"], b"ab", "256"),
                (["train", "-", "--special", ""], b"ab", "special"), (["show", "x", "-t", "."], b"", ""),
                (["export"], b"", "--tiktoken FILE")):
            code, out, err = run(*arguments, stdin=stdin, cwd=path)
            assert code == 1 and out == b"" and words in err.decode(), (arguments, err)
            assert err.count(b"\n") == 1 and b"Traceback" not in err, err
        for arguments in ["nonsense"], ["show"], ["train"], ["export", "\udcff"]:
            code, out, err = run(*arguments, cwd=path)
            assert code == 2 and b"usage" in err and b"Traceback" not in err, err
        code, out, err = run("--help", cwd=path)
        assert code == 0 and b"example" in out and not err


def test_output_that_cannot_be_written_is_told_in_one_line():
    if not os.path.exists("/dev/full"):
        raise SkipTest("there is no /dev/full")
    with folder() as path, open("/dev/full", "wb") as full:
        TRAINED.save(path / "tokenizer.json")
        for arguments in ["show", "x"], ["decode"]:
            for unbuffered in "", "1":
                done = subprocess.run([*BPE_PY, *arguments], cwd=str(path),
                                      input=b"97 " * 9, stdout=full, stderr=subprocess.PIPE,
                                      env={**os.environ, "PYTHONUNBUFFERED": unbuffered})
                assert done.returncode and done.stderr.count(b"\n") == 1, (arguments, unbuffered, done)


def test_an_output_cut_short_is_told():
    if os.name != "posix":
        raise SkipTest("there are no limits on a file's size")
    import resource
    with folder() as path:
        TRAINED.save(path / "tokenizer.json")
        with open(path / "out", "wb") as out:
            done = subprocess.run([*BPE_PY, "decode"], cwd=str(path), input=b"97 " * 99, stdout=out, stderr=subprocess.PIPE,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (9, 9)),
                                  env={**os.environ, "PYTHONUNBUFFERED": "1"})
        assert done.returncode and done.stderr.count(b"\n") == 1, done


def test_ctrl_c_and_want_of_memory_are_told_in_one_line():
    for error in "KeyboardInterrupt", "MemoryError":
        code = ("import argparse, runpy\ndef parse_args(self): raise %s\n"
                "argparse.ArgumentParser.parse_args = parse_args; runpy.run_path('bpe.py', run_name='__main__')") % error
        done = subprocess.run([sys.executable, "-c", code], cwd=str(HERE), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert (done.returncode, done.stdout, done.stderr) == (1, b"", f"bpe.py: {error}\n".encode())


def test_a_closed_pipe_ends_it_quietly():
    with folder() as path:
        TRAINED.save(path / "tokenizer.json")
        command = [*BPE_PY, "encode", str(HERE / "corpus_en.txt")]
        process = subprocess.Popen(command, cwd=str(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert len(process.stdout.read(20)) == 20
        process.stdout.close()
        assert process.stderr.read() == b"" and process.wait() != 0
        process.stderr.close()
        read, write = os.pipe()
        os.close(read)  # closed before a line that fits the buffer is written
        done = subprocess.run([*BPE_PY, "show", "x"], cwd=str(path), stdout=write,
                              stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": ""})
        os.close(write)
        assert (done.returncode, done.stderr) == (1, b"")


def test_the_tour_runs_without_anything_installed_and_shows_every_section():
    with folder() as path:
        code, out, err = run(cwd=path)
        text = out.decode()
        assert (code, err) == (0, b""), err
        assert re.findall(r"^(\d+)\. ", text, re.M) == [str(n) for n in range(1, 11)]
        assert "(recorded)" in text and f"{len(ENGLISH):,}" in text and f"{len(BANGLA.encode()):,}" in text
        assert "\x1b[" not in text and "\ufffd" not in text.split("9. ")[0]
        assert BPE.load(path / "tokenizer.json").vocab_size == 2000
    readme = (HERE / "README.md").read_bytes().decode()
    for line in readme.split("shortened:\n\n")[1].split("\n\n")[0].split("\n"):
        assert line[4:] in text.split("\n"), line  # README shows what the tour prints
    for section, figures in {5: "0.594 0.678 0.378 0.416 0.287 0.316", 6: "1.162", 7: "0.689"}.items():
        part = text.split(f"\n{section}. ")[1].split(f"\n{section + 1}. ")[0]
        assert all(figure in part and figure in readme for figure in figures.split())


def test_the_tour_is_timed_beside_tiktoken_where_that_is_installed():
    library("tiktoken")
    with folder() as path:
        done = subprocess.run([sys.executable, str(HERE / "bpe.py")], cwd=str(path), stdout=subprocess.PIPE)
    assert done.returncode == 0 and b"tiktoken, in Rust" in done.stdout


def test_tokens_are_readable():
    for token, text in {b"\xe0\xa6": "⟨e0 a6⟩", "া".encode() + b"\xe0": "া⟨e0⟩", b" the": " the",
                        b"\x80\n\x1b": "⟨80⟩\\n\\x1b", b"\xc2\x9b": "\\x9b"}.items():
        assert bpe.readable(token) == text


def test_tokens_are_coloured_in_a_terminal_only():
    for terminal, no_color, coloured in (True, "", True), (True, "1", False), (False, "", False):
        with mock.patch("sys.stdout", io.StringIO()) as out, mock.patch.dict(os.environ, NO_COLOR=no_color):
            out.isatty = lambda: terminal
            shown = bpe.shown(BPE(), b"ab")
        assert ("\x1b[97;45m" in shown) is coloured and ("|" in shown) is not coloured


def test_importing_prints_nothing_and_needs_nothing():
    code = ("import sys; sys.path.insert(0, %r); import bpe, threading; assert threading.active_count() == 1; "
            "assert not {'tiktoken', 'tokenizers'} & set(sys.modules)") % str(HERE)
    with folder() as path:
        done = subprocess.run([sys.executable, "-I", "-c", code], cwd=str(path), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert (done.returncode, done.stdout) == (0, b"") and os.listdir(path) == []


def test_what_stands_above_the_tour_works_alone():
    names = {"__name__": "pasted"}
    exec((HERE / "bpe.py").read_bytes().decode().split("# The tour -")[0], names)
    pasted, text = names["BPE"](["<|end|>"]).train(BANGLA[:3000], 400), BANGLA[:1000] + "<|end|>"
    with folder() as path:
        pasted.save(path / "t.json")
        pasted.save_huggingface(path / "hf.json")
        assert pasted.encode(text, "all") == BPE.load(path / "t.json").encode(text, "all")
        assert pasted.tiktoken_kwargs("t")["special_tokens"] == {"<|end|>": 256}


def test_the_examples_in_bpe_py_hold():
    results = doctest.testmod(bpe)
    assert results.attempted > 10 and results.failed == 0


def readme_blocks():
    """Return the Python examples of README, each by a word in it."""
    blocks = re.findall(r"```python\n(.*?)```", (HERE / "README.md").read_bytes().decode(), re.S)
    words = "special_tokens", "timeit", "Pool", "SparkSession", "bangla"
    assert len(blocks) == len(words) and all(word in block for word, block in zip(words, blocks))
    return dict(zip(words, blocks))


def run_block(block):
    """Run an example where the corpora are; an expression's value is what the comment behind it says."""
    with mock.patch("builtins.open", lambda path, *a, **k: io.open(HERE / path, *a, **k)), folder() as path:
        block, names = re.sub("([\"'])tokenizer.json\\1", lambda m: m[1] + str(path / "t.json") + m[1], block), {}
        for node in ast.parse(block).body:
            source = ast.get_source_segment(block, node)
            comment = re.search(r"(?<! )  # (.+)$", block.splitlines()[node.end_lineno - 1])
            if isinstance(node, ast.Expr) and comment:
                assert repr(eval(source, names)) == comment[1], source
            else:
                exec(source, names)


def run_script(code):
    """Return what a script prints in a folder with the corpora."""
    with folder() as path:
        for name in "bpe.py", "corpus_en.txt", "corpus_bn.txt":
            (path / name).write_bytes((HERE / name).read_bytes())
        (path / "script.py").write_text(code, encoding="utf-8")
        return subprocess.run([sys.executable, "script.py"], cwd=str(path), stdout=subprocess.PIPE, check=True).stdout


def test_the_examples_in_readme_hold():
    run_block(readme_blocks()["special_tokens"])
    run_block(readme_blocks()["bangla"])
    out = run_script(readme_blocks()["Pool"] + "    print(sum(documents, []) == [id for line in open("
                     "'corpus_en.txt', encoding='utf-8', newline='') for id in tokenizer.encode(line)])\n")
    assert out.split() == [b"True"]


def test_the_speed_example_runs():
    for name in "rustbpe", "tiktoken", "tokenizers":
        library(name)
    once = mock.patch("timeit.repeat", lambda job, **_: [timeit.timeit(job, globals=_["globals"], number=1)])
    with once, mock.patch("sys.stdout", io.StringIO()) as out:
        run_block(readme_blocks()["timeit"])
    assert out.getvalue().count(" s  ") == 8


def test_the_spark_example_learns_the_same_merges():
    library("pyspark")
    out = run_script(readme_blocks()["SparkSession"] + "lines = open('corpus_en.txt', encoding='utf-8').read()."
                     "split('\\n')\nprint(tokenizer.merges == BPE().train(lines, 2000).merges)\n")
    assert out.split() == [b"True"]


if __name__ == "__main__":
    tests = [(name, test) for name, test in list(globals().items()) if name.startswith("test_")]
    passed, skipped = 0, []
    for name, test in tests:
        try:
            test()
            passed += 1
        except SkipTest as reason:
            skipped.append(f"{name}: {reason}")
        except BaseException:
            print("FAILED", name)
            raise
    for line in skipped:
        print("skipped", line)
    print(f"{passed} passed, {len(skipped)} skipped")
