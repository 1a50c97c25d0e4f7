# SPDX-License-Identifier: 0BSD
"""What bpe.py promises, and the tests that hold it to that, in the same order.

 1. Pieces. The split pattern covers every text; Bangla words stay whole; digits go by threes.
 2. Training learns what the plain algorithm learns, pair for pair, on any text, on any machine.
 3. Training takes a string, documents or counts; goes on from what it has; tells why it stopped.
 4. Encoding replays the merges as the plain algorithm does, and no text is lost, whatever it is.
 5. Decoding joins bytes before it makes text; streamed text never shows half a letter.
 6. Special tokens come from the program, never from what a user types.
 7. Saving: one file, the same bytes for the same tokenizer, whole or not there, checked when read.
 8. Bad input is refused at the door, in words that tell what to do, and nothing changes.
 9. A change happens at one moment. Copies, pickles, threads and processes all encode alike.
10. Hugging Face tokenizers and tiktoken give the same ids, or the export is refused.
11. The command line does what its help says, and tells of what went wrong in one line.
12. The tour shows what is so, README's figures are the tour's, and all examples hold.

Run it with pytest. The tests that need tokenizers, tiktoken or pyspark are skipped where those are
not installed. SWEEP=all compares every code point with the libraries, not one in 16.
"""
import ast, contextlib, copy, doctest, functools, io, itertools, json, os, pickle, random, re
import signal, subprocess, sys, unicodedata
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import pytest

import bpe
from bpe import BPE, SPLIT

parametrize = pytest.mark.parametrize
pytestmark = pytest.mark.filterwarnings("error::UserWarning")  # a training that stops early warns
posix = pytest.mark.skipif(os.name != "posix", reason="links, modes, pipes and signals are POSIX's")
HERE = Path(__file__).resolve().parent
ENGLISH, BANGLA = ((HERE / f"corpus_{name}.txt").read_bytes().decode() for name in ("en", "bn"))
CORPUS = ENGLISH + "\n" + BANGLA
CODE_POINTS = [*range(0xD800), *range(0xE000, 0x110000)]  # all but the surrogates
AMONG_OTHERS = "".join([f" {c}a{c}1" for c in map(chr, CODE_POINTS)])

STRANGE = [  # texts on which some tokenizer somewhere lost or changed something
    "", "a", "ক", "🙂", "\n", "\0", "  left   right   ", "\t\n \r\n\r", "a\r\nb\rc\n \n ", "zxqv ঋৠ",
    "a\u2028b\u2029", "\ufeffBOM kept\ufeff", "a\x85b\xa0c\u3000d\u2009e", "a\x1cb\x1d\x1e\x1f c",
    " he said , no .", "foo_bar __init__", "zero\u200bwidth\u2060and\xadsoft\u180e", "ﬁ ① Å ｱ İ ß",
    "x+y=z; 100% #1 @me `q` ~", "১,২৫০ টাকা, ২০২৬ সাল। ٣٤٥ 1234567", "কৰ্ম জ্ঞান দুঃখ চাঁদ",
    "বিশ্ববিদ্যালয় রাষ্ট্র স্বাস্থ্য ক্ষমতা", "র\u200d্যাব ক্\u200cষ", "শাড়ি শা\u09dcি য়\u09df",
    "ICTবিভাগ cafe\u0301 naïve z\u0323k", "👩‍👩‍👧‍👦 🇧🇩 👍🏽 ☔", "漢字仮名交じり文 ภาษาไทย हिन्दी العربية",
    "“quoted” — ‘so’… • শেষ। শুরু॥ গান৷।।", "\U0001e4d0x \U0001fae9 \U0010ffff \ue000", "a" * 300,
    "<|end|> <|user|>", "ab" * 200 + " " * 99 + "-" * 99]
def short(value):
    return ascii(value)[:50]

# The oracle: the lesson's own code, on ids in lists, with its expression written out.
LESSON = re.compile(r" ?[^\s\d!-/:-@\[-`{-~।]+| ?\d{1,3}| ?[!-/:-@\[-`{-~।]+|\s+")
ADDED = r"॥৷\u2010-\u2027\u2030-\u205E"  # what is punctuation here too
PIECE = re.compile(LESSON.pattern.replace("।", "।" + ADDED))

def merged(ids, pair, new):
    out, i = [], 0
    while i < len(ids):
        found = tuple(ids[i:i + 2]) == pair
        out.append(new if found else ids[i])
        i += 2 if found else 1
    return out

def lesson_train(text, size):
    words = Counter(tuple(piece.encode()) for piece in PIECE.findall(text))
    merges = {}
    for new in range(256, size):
        counts = Counter()
        for word, n in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += n
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        merges[best] = new
        words = {tuple(merged(word, best, new)): n for word, n in words.items()}
    return merges

def lesson_encode(text, merges):
    ids = []
    for piece in PIECE.findall(text):
        word = list(piece.encode())
        for pair, new in merges.items():
            word = merged(word, pair, new)
        ids += word
    return ids

# Random texts, and tokenizers
def any_texts(seed, number, most=40):
    """Texts of characters from all over Unicode, and from its troublesome corners."""
    rng, planes = random.Random(seed), [(0x20, 0x3000), (0x3000, 0xD800), (0xE000, 0x110000)]
    corners = "ab \n\t\r\0\x1c\x1f\x85\xa0 ,.।॥৷19৩কষািু়্\u200c\u200d\u2028—“🙂é\u0301_-<|>end"
    return ["".join(rng.choice(corners) if rng.random() < 0.8
                    else chr(rng.randrange(*rng.choice(planes)))
                    for _ in range(rng.randint(0, most))) for _ in range(number)]

def learned(tokenizer):
    """The merges in their order, which == of dicts does not compare."""
    return [*tokenizer.merges.items()]

def state(tokenizer):
    return learned(tokenizer), [*tokenizer.vocab.items()], [*tokenizer.special_tokens.items()]

@pytest.fixture(scope="session")
def trained():
    """The tokenizer that the tour trains."""
    return BPE(special_tokens=["<|end|>"]).train([ENGLISH, BANGLA], 2000)

@pytest.fixture(scope="session")
def small():
    """Its first merges are of a and a, and a and b."""
    return BPE().train(CORPUS + " aaaaaaaa ababab" * 9000, 400)

@pytest.fixture
def later():
    """A tokenizer with special tokens before and after its merges, and a pattern of its own."""
    tokenizer = BPE(["end of turn", "<|শেষ|>", '"\\'], r"\s+|\S+").train(CORPUS[:20_000], 600)
    tokenizer.add_special_tokens("<pad>", " x ", "pad>", "♥", "é♥")
    return tokenizer

@pytest.fixture
def from_file(tmp_path):
    """Load the tokenizer of a file with this content."""
    def load(**content):
        (tmp_path / "file.json").write_text(json.dumps(content), encoding="utf-8")
        return BPE.load(tmp_path / "file.json")
    return load

# 1. Pieces
@parametrize("pieces", [
    "foo|_|bar| ,| no", "Hello| world|,| 125|0|!", "আমি| বাংলায়| গান| গাই", "“|ঠিক|”—|বলল",
    "গান|।| শেষ|॥| আহা|৷৷| না", "২০২|৬| সালে| ٣٤٥", "a|  |b|\n\n|c|\xa0|e",
    # vowel signs, hasanta, nukta and joiners stay in their word
    "বিশ্ববিদ্যালয়", "ক্ষমতা", "রাষ্ট্র", "স্বাস্থ্য", "জ্ঞান", "কৰ্ম", "দুঃখ", "চাঁদ", "শাড়ি",
    "শা\u09dcি", "ক্\u200cষ", "র\u200d্যাব", "কৌ", "ক\u09c7\u09d7", "ৎ",
    "cafe\u0301", "ICTবিভাগ"], ids=short)
def test_pieces_are_words_with_a_space_digits_by_threes_punctuation_and_white_space(pieces):
    assert SPLIT.findall(pieces.replace("|", "")) == pieces.split("|")

def test_every_code_point_is_in_the_piece_that_is_written_out():
    pieces = PIECE.findall(AMONG_OTHERS)
    assert SPLIT.findall(AMONG_OTHERS) == pieces and "".join(pieces) == AMONG_OTHERS
    lessons = re.sub(f"[{ADDED}]", "", CORPUS)
    assert SPLIT.findall(lessons) == LESSON.findall(lessons)

@parametrize("texts", [
    STRANGE, [CORPUS], ["a b" * 900 + "  c\n d " * 300, " " * 2000 + "x" + " y" * 900],
    any_texts(5, 300, most=200)], ids=["strange", "the corpora", "white space", "random"])
def test_cutting_at_stretches_first_gives_the_same_pieces(texts):
    for text in texts:
        pieces = [*itertools.chain(*map(SPLIT.findall, bpe.STRETCH.findall(text)))]
        assert pieces == PIECE.findall(text), ascii(text)

# 2. Training learns what the plain algorithm learns
@parametrize("text, pairs", [
    # aaabdaaabac: aa stands 4 times (aaa holds it twice); then Z a b d Z a b a c, where Za and ab
    # stand twice each, and ab goes first, since a is 97 and Z 256; then Z Y d Z Y a c.
    pytest.param("aaabdaaabac", [(97, 97), (97, 98), (256, 257)], id="the worked example"),
    # "aaa" holds aa twice, "bc" holds bc once; then Aa, " b" and bc stand once each.
    pytest.param("aaa bc", [(97, 97), (32, 98), (256, 97)], id="adjacent tokens are counted"),
    pytest.param("aaaaa", [(97, 97), (256, 97), (256, 257)], id="merging is from left to right"),
    *(pytest.param(text, pair, id=f"ties in {text!r}") for text, pair in {
        "ba ab": [(32, 97)], "dc\nab": [(97, 98)], "ac\nab": [(97, 98)]}.items()),
    pytest.param(["xa", "bx", "bx"], [(98, 120)], id="no pair spans two documents"),
    pytest.param(["ab", "ab", "cd"], [(97, 98)], id="documents are counted together"),
    pytest.param({"ab": 2, "cd": 3, "e": 9}, [(99, 100)], id="a mapping tells how often"),
    pytest.param({"ab": 0, "cd": 1}, [(99, 100)], id="which may be never"),
    pytest.param({"ab ab": 1, "b a": 3}, [(32, 97)], id="texts of a mapping are cut into pieces"),
    pytest.param("ho<s>" * 9 + "hi", [(104, 111), (104, 105)], id="special tokens are left out"),
    pytest.param({"ho<s>hi": 1, "<s>ho": 1}, [(104, 111), (104, 105)], id="from a mapping too")])
def test_the_merges_are_those_found_on_paper(text, pairs):
    assert [*BPE(["<s>"]).train(text, 257 + len(pairs)).merges] == [
        tuple(id + (id > 255) for id in pair) for pair in pairs]  # <s> is 256

@parametrize("text, size", [(CORPUS, 261), (ENGLISH[:3000] + BANGLA[:3000], 450)],
             ids=["the corpora", "their beginnings"])
def test_training_equals_the_plain_algorithm_on_the_corpora(text, size):
    assert learned(BPE().train(text, size)) == [*lesson_train(text, size).items()]

@parametrize("letters", ["a", "ab", "abc", "aab ", "ab c", "কখ ", "aক।"], ids=short)
def test_both_equal_the_plain_algorithm_where_ties_and_overlaps_are_dense(letters):
    rng = random.Random(1)
    for _ in range(30):
        text, other = ("".join(rng.choices(letters, k=rng.randint(3, 60))) for _ in "ab")
        merges = lesson_train(text, 290)
        tokenizer = BPE().train(text, 256 + len(merges))
        assert learned(tokenizer) == [*merges.items()], text
        assert tokenizer.encode(other) == lesson_encode(other, merges), (text, other)

@parametrize("size", [300, 999])
def test_the_plain_algorithm_in_bpe_py_is_the_lessons(size):
    text, other = ENGLISH[:300] + BANGLA[:300], ENGLISH[-500:] + BANGLA[-500:]
    plain, merges = bpe.plain_train(text, size), lesson_train(text, size)  # 999: more than there is
    assert [(tuple(map(ord, pair)), ord(new)) for pair, new in plain.items()] == [*merges.items()]
    assert bpe.plain_encode(other, plain) == lesson_encode(other, merges)
    assert bpe.plain_decode(lesson_encode(other, merges), plain) == other
    assert bpe.plain_decode([97, 224, 166], plain) == "a\ufffd"

def test_the_saved_file_is_the_same_under_any_hash_seed(tmp_path):
    code = ("from bpe import BPE; import sys; BPE(['<a>', '<b>']).train(open('corpus_bn.txt', "
            "encoding='utf-8').read()[:30000], 700).save(sys.argv[1])")
    for seed in "0", "1":
        subprocess.run([sys.executable, "-c", code, str(tmp_path / seed)], cwd=str(HERE),
                       env={**os.environ, "PYTHONHASHSEED": seed}, check=True)
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()

# 3. What training takes, and when it stops
def test_the_vocabulary_is_of_bytes_special_tokens_and_merges_without_gaps(trained):
    assert [*trained.vocab] == [*range(2000)] and trained.vocab_size == 2000
    assert [*trained.special_tokens.values(), *trained.merges.values()] == [*range(256, 2000)]
    for (a, b), new in trained.merges.items():
        assert trained.vocab[new] == trained.vocab[a] + trained.vocab[b]

def test_documents_are_read_one_at_a_time_and_the_bad_one_is_named():
    read = []
    documents = (read.append(i) or ("fine" if i < 3 else b"bytes") for i in range(10))
    with pytest.raises(TypeError, match="document 3 must be a string, not b'bytes'"):
        BPE().train(documents, 300)
    assert read == [0, 1, 2, 3]

@parametrize("special, later", [([], []), (["<|end|>", "মিতু"], []), ([], ["<a>"])], ids=short)
def test_training_goes_on_from_the_merges_it_has_behind_all_special_tokens(special, later):
    steps, text, whole = BPE(special), BANGLA[:20_000], BPE(special).train(BANGLA[:20_000], 900)
    assert steps.train(text, 300) is steps
    steps.add_special_tokens(*later)
    assert [steps.vocab[new] for new in steps.train(text, 900 + len(later)).merges.values()] == [
        whole.vocab[new] for new in whole.merges.values()]

@parametrize("text, size, room, why", [
    *((text, size, 5000, "no pair is left") for text, size in {
        "": 256, "a": 256, " ": 256, "ক": 258, "🙂": 259, "abab": 258, (): 256}.items()),
    ("abab", 256, 256, "no room is left")], ids=short)
def test_training_that_stops_for_want_of_pairs_or_room_warns_once_where_it_was_called(
        text, size, room, why):
    tokenizer = BPE()
    with pytest.warns(UserWarning, match=f"{size} of {room:,} tokens: {why}") as warned:
        tokenizer.train(text, room)
    assert [warning.filename for warning in warned] == [__file__] and tokenizer.vocab_size == size

def test_what_was_learned_stays_if_the_warning_is_an_error():
    tokenizer = BPE()
    with pytest.raises(UserWarning, match="no pair is left"):
        tokenizer.train("abab", 300)
    assert tokenizer.vocab_size == 258

@parametrize("text, least, pairs", [
    ("aab\naab\nxyz", 2, [(97, 97), (256, 98)]), ("ab ab", 3, [])])
def test_no_pair_rarer_than_min_frequency_is_merged_and_that_is_no_warning(text, least, pairs):
    assert [*BPE().train(text, 400, min_frequency=least).merges] == pairs

def test_nothing_is_printed_unasked_and_progress_goes_to_stderr(capsys):
    BPE().train(BANGLA[:3000], 500)
    assert capsys.readouterr() == ("", "")
    BPE().train(BANGLA[:3000], 500, verbose=True)
    out, err = capsys.readouterr()
    assert out == "" and re.findall(r"^(\d+) of 500 tokens", err, re.M) == ["300", "400", "500"]

@parametrize("stderr", [
    pytest.param(lambda: None, id="None"), pytest.param(object, id="no stream"),
    pytest.param(lambda: open(os.devnull), id="not to be written"),
    pytest.param(lambda: io.TextIOWrapper(io.BytesIO(), encoding="cp1252"), id="legacy encoding")])
def test_progress_that_cannot_be_printed_is_dropped(stderr, monkeypatch):
    monkeypatch.setattr(sys, "stderr", stderr())
    assert BPE().train(BANGLA[:3000], 500, verbose=True).vocab_size == 500

# 4. Encoding
def test_the_earliest_merge_is_applied_first_not_the_leftmost_nor_the_longest(from_file):
    bc_then_ab_then_ab_c = from_file(merges=[[98, 99, 256], [97, 98, 257], [257, 99, 258]])
    assert bc_then_ab_then_ab_c.encode("abc") == [97, 256]

def test_the_lessons_own_checks_hold(tmp_path):
    tokenizer = BPE().train(BANGLA[:20_000] + ENGLISH[:20_000], vocab_size=400)
    for text in ["", "hello", "আমার অর্ডার", "mixed বাংলা and English 123,456!",
                 "emoji 🚚 and tabs\tand\nlines", "zxqv ঋৠ"]:
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode("🚚") == [*"🚚".encode()] and len("🚚".encode()) == 4
    tokenizer.save(tmp_path / "t.json")
    text = "the order is late, অর্ডার দেরি হচ্ছে"
    assert BPE.load(tmp_path / "t.json").encode(text) == tokenizer.encode(text)
    assert len(tokenizer.encode("the training loss goes down")) < 27  # bytes

@parametrize("text", [
    *STRANGE, ENGLISH[:1000], BANGLA[:1000], "".join(any_texts(2, 100)),
    *("".join(random.Random(3).choices(letters, k=600)) for letters in ("ab", "etaoin", "কখাি্র"))],
    ids=short)
def test_encoding_equals_the_plain_algorithm(small, text):
    assert small.encode(text) == lesson_encode(text, small.merges)

@parametrize("pattern", [SPLIT, r"(?s).+?", r"\w+|\W"], ids=short)
def test_every_text_comes_back_exactly(pattern):
    tokenizer = BPE(pattern=pattern).train(CORPUS, 290)
    for text in [*STRANGE, *any_texts(4, 99), CORPUS[:9999], "".join(map(chr, CODE_POINTS[::97]))]:
        assert tokenizer.decode(tokenizer.encode(text)) == text, ascii(text)

def test_ids_that_are_no_characters_of_text_are_ids_all_the_same():
    many = BPE([f"<{i}>" for i in range(57_000)])  # beyond U+D800, where characters are surrogates
    assert many.encode("a<55500><56999>", ["<55500>", "<56999>"]) == [97, 55_756, 57_255]

def test_what_is_remembered_is_not_the_callers_list(trained):
    ids = trained.encode("parcel")
    ids += [0]
    assert trained.encode("parcel") == ids[:-1]

def test_memory_is_bounded_by_the_size_of_what_is_remembered(trained):
    encoder = bpe._Encoder(trained.merges, trained.pattern)
    encoder.size = 31_990_000  # of 32,000,000 bytes: so it begins afresh soon, and only once
    sizes = [len(encoder) for number in range(400) if encoder[str(number)]]
    assert [20 < i < 200 for i in range(1, 400) if sizes[i] < sizes[i - 1]] == [True]
    assert encoder["a" * 999] is encoder["a" * 999] and encoder["a" * 1001]
    assert "a" * 1001 not in encoder  # a long text would hardly come again

# 5. Decoding
@parametrize("ids, errors, text", [
    ([], {}, ""), ([224, 166, 149], {}, "ক"), (iter([97, 98]), {}, "ab"), (range(97, 99), {}, "ab"),
    ([97, 224, 166], {}, "a\ufffd"), ([97, 224, 166], {"errors": "ignore"}, "a")])
def test_bytes_are_joined_before_they_become_text(ids, errors, text):
    assert BPE().decode(ids, **errors) == text

def test_a_part_of_a_letter_may_be_an_error():
    with pytest.raises(UnicodeDecodeError, match="unexpected end"):
        BPE().decode([224, 166], errors="strict")

def test_streamed_text_joined_is_the_decoded_text_and_no_part_is_empty(trained):
    rng = random.Random(6)
    junk = [[rng.randrange(rng.choice([256, 256, 2000])) for _ in range(20)] for _ in range(300)]
    for ids in [*map(trained.encode, STRANGE), *junk]:  # as a bad model may give them
        parts = [*trained.decode_stream(iter(ids))]
        assert "".join(parts) == trained.decode(ids) and "" not in parts, ids

def test_a_stream_gives_a_letter_as_soon_as_it_is_whole():
    ids = iter([224, 166, 149, 33, 34])
    assert next(BPE().decode_stream(ids)) == "ক" and next(ids) == 33

# 6. Special tokens
@parametrize("allowed, ids", [
    ((), [60, 120, 62, 97, 108, 108]), ("all", [256, 257]), (["all"], [60, 120, 62, 257]),
    (["<x>"], [256, 97, 108, 108]), ("<x>", [256, 97, 108, 108]), ({"<x>", "all"}, [256, 257])],
    ids=short)
def test_a_user_can_type_no_special_token_unless_it_is_allowed(allowed, ids):
    assert BPE(["<x>", "all"]).encode("<x>all", allowed_special=allowed) == ids

@parametrize("text, ids", [
    ("<a><b>", [257]), ("<a><a><b>", [256, 257]), ("<b><a>", [258, 256]), ("x<a", [120, 60, 97]),
    ("a end of turn b", [97, 32, 259, 32, 98]), ("\n\n\n", [260, 10]), ("<|শেষ|>", [261]),
    ("a   b", [97, 262, 32, 98])], ids=short)
def test_the_leftmost_then_the_longest_special_token_is_taken(text, ids):
    tokenizer = BPE(["<a>", "<a><b>", "<b>", "end of turn", "\n\n", "<|শেষ|>", "  "])
    assert tokenizer.encode(text, allowed_special="all") == ids and tokenizer.decode(ids) == text

def test_a_longer_special_token_that_is_not_allowed_is_not_taken():
    assert BPE(["<a>b", "b"]).encode("<a>b", allowed_special={"b"}) == [60, 97, 62, 257]

def test_in_training_too_the_longest_special_token_is_taken_whatever_the_order():
    for texts in ["<a>", "<a>b"], ["<a>b", "<a>"]:
        assert learned(BPE(texts).train("<a>bcd<a>", 259)) == [((99, 100), 258)]

def test_special_tokens_take_the_next_free_ids_in_the_order_given():
    tokenizer = BPE(["<z>", "<a>"]).train("aaaa", 260)
    tokenizer.add_special_tokens("<pad>", "<m>")
    assert tokenizer.special_tokens == {"<z>": 256, "<a>": 257, "<pad>": 260, "<m>": 261}
    assert tokenizer.encode("aaaa<pad>", ["<pad>"]) == [259, 260] and tokenizer.vocab_size == 262

# 7. Saving and loading
@parametrize("name", ["trained", "later", "untrained"])
def test_a_loaded_tokenizer_is_the_one_that_was_saved(name, request, tmp_path):
    tokenizer = BPE() if name == "untrained" else request.getfixturevalue(name)
    tokenizer.save(tmp_path / "t.json")
    loaded = BPE.load(tmp_path / "t.json")
    assert state(loaded) == state(tokenizer) and loaded.pattern == tokenizer.pattern
    for text in [*STRANGE, *any_texts(7, 200)]:
        assert loaded.encode(text, "all") == tokenizer.encode(text, "all"), ascii(text)
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "t.json").read_bytes()

def test_the_file_is_json_in_utf8_and_whole_when_it_takes_its_place(tmp_path, monkeypatch):
    sizes, fsync = [], os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: sizes.append(os.fstat(fd).st_size) or fsync(fd))
    BPE(["<|শেষ|>"], r"\S+|\s").train("aaa", 258).save(tmp_path / "t.json")
    assert sizes == [(tmp_path / "t.json").stat().st_size]
    assert (tmp_path / "t.json").read_bytes().decode() == (
        r'{"version": 1, "pattern": "\\S+|\\s", "special_tokens": {"<|শেষ|>": 256}, '
        '"merges": [[97, 97, 257]]}\n')

def test_the_lessons_bare_file_loads_a_byte_order_mark_before_it_too(tmp_path):
    (tmp_path / "t.json").write_bytes(b'\xef\xbb\xbf{"merges": [[97, 97, 256], [256, 97, 257]]}')
    assert BPE.load(tmp_path / "t.json").encode("aaaa") == [256, 256]

@parametrize("kind", [str, Path, os.fsencode])
def test_a_path_may_be_of_any_kind_and_hold_any_letter_and_is_named(kind, tmp_path):
    path = kind(str(tmp_path / os.fsdecode("মডেল file.json".encode())))
    with pytest.raises(FileNotFoundError, match=" file.json"):
        BPE.load(path)
    BPE(["<a>"]).save(path)
    assert BPE.load(path).special_tokens == {"<a>": 256}

def test_a_subclass_with_an_init_of_its_own_loads_as_itself(tmp_path):
    class Tokenizer(BPE):
        def __init__(self, due):
            raise AssertionError("load calls it")
    BPE().train("ab", 257).save(tmp_path / "t.json")
    loaded = Tokenizer.load(tmp_path / "t.json")
    assert type(loaded) is Tokenizer and loaded.encode("ab") == [256]

@parametrize("step", ["fsync", "replace"])
def test_a_failing_save_names_what_the_user_does_and_leaves_the_old_file_and_no_other(
        step, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "disk full", "draft")
    BPE(["<old>"]).save(tmp_path / "t.json")
    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match=r"disk full.*t\.json" if step == "replace" else "disk full"):
        BPE().save(tmp_path / "t.json")
    assert os.listdir(tmp_path) == ["t.json"]
    assert BPE.load(tmp_path / "t.json").special_tokens == {"<old>": 256}

@posix
def test_the_file_that_a_link_points_to_is_written_and_its_mode_is_kept(tmp_path):
    BPE().save(tmp_path / "t.json")
    os.chmod(tmp_path / "t.json", 0o600)
    os.symlink("t.json", tmp_path / "link")
    BPE(["<a>"]).save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink() and BPE.load(tmp_path / "t.json").vocab_size == 257
    assert (tmp_path / "t.json").stat().st_mode & 0o777 == 0o600

@parametrize("make", ["mkdir", "write_text", pytest.param("mkfifo", marks=posix)])
def test_what_is_no_regular_file_or_may_not_be_written_is_not_replaced(make, tmp_path, monkeypatch):
    place = tmp_path / "there"
    getattr(os, make)(str(place)) if hasattr(os, make) else place.write_text("old")
    monkeypatch.setattr(os, "access", lambda path, mode: make != "write_text" or mode != os.W_OK)
    with pytest.raises(ValueError, match="there is not the name of a regular file"):
        BPE().save(place)
    assert make != "write_text" or place.read_text() == "old"

def content(*merges, **others):
    return json.dumps({"merges": [[97, 97, 256], *merges], **others}).encode()

@parametrize("data, words", [
    (b'{"merges": [[97, 97, 2', "line 1 column"), (b"", "line 1 column 1"),
    (b"[1, 2]", "an object is due"), (b"null", "an object is due"),
    pytest.param(b"[" * 10**5, "recursion", id="deep"), (b"{}", "a list of merges"),
    (b'{"merges": {}}', "a list of merges"), (pickle.dumps([]), "utf-8"),
    ('{"é": 1}'.encode("latin-1"), "utf-8"),
    *((content(version=bad), f"version 1 .*{bad!r}$") for bad in (2, "1", True, 1.0)),
    *((content(pattern=pattern), "pattern") for pattern in ("(", "a", None, 5)),
    *((content(bad), "merge 1 is .*257") for bad in (
        [97, 98.0, 257], [True, 97, 257], [-1, 97, 257], [97, 257, 257], [97, 97, 257],
        [97, 98, 258], [97, 98, 256], [97, 98], [97, 98, 257, 0], "abc", None, 5,
        [10**30, 97, 257], ["a", "b", 257], [[], 97, 257])),
    (content([97, 257, 258], special_tokens={"<a>": 257}), "merge 1"),
    *((content(special_tokens={"<a>": bad}), f"'<a>' has the id {re.escape(repr(bad))}, not")
      for bad in (257.0, True, "257", [])),
    *((content(special_tokens={"<a>": bad}), "256 to 257") for bad in (98, 258, -1)),
    (content(special_tokens={"<a>": 256}), "merge 0 is .*257"),
    (b'{"merges": [[256, 97, 256]]}', "merge 0 is .*256"),
    (content(special_tokens={"\ud800": 257}), "surrogate"),
    (content(special_tokens={"": 257}), "empty"),
    (content(special_tokens={"<a>": 257, "<b>": 257}), "must all differ"),
    *((content(special_tokens=bad), "an object of special tokens") for bad in (["<a>"], 5))],
    ids=short)
def test_an_unsound_file_is_refused_with_its_name_the_place_and_the_reason(data, words, tmp_path):
    (tmp_path / "bad.json").write_bytes(data)
    with pytest.raises(ValueError, match=rf"bad\.json holds no tokenizer: .*({words})"):
        BPE.load(tmp_path / "bad.json")

# 8. Bad input
class Index:
    def __index__(self):
        return 97

LOST = "ok \ud800 end"
CALLS = {"encode": BPE.encode, "decode": BPE.decode, "decode_bytes": BPE.decode_bytes,
         "decode_stream": lambda tokenizer, ids: [*tokenizer.decode_stream(ids)],
         "train": lambda tokenizer, text: tokenizer.train(text, 300),
         "size": lambda tokenizer, size: tokenizer.train("ab", size),
         "begin with": lambda tokenizer, special_tokens: BPE(special_tokens),
         "add": lambda tokenizer, text: tokenizer.add_special_tokens("<new>", text),
         "allow": lambda tokenizer, names: tokenizer.encode("text", allowed_special=names)}

@parametrize("call, argument, error, words", [
    *(("encode", bad, TypeError, f"text must be a string, not {bad!r}")
      for bad in (b"abc", b"", None, 5, 1.5, [1])),
    *(("train", bad, TypeError, "must be a string, not ")
      for bad in (b"abc", b"", None, 5, [b"abc"], ["fine fine", None], {5: 1})),
    ("encode", LOST, ValueError, "text has a lone surrogate at index 3, "),
    ("encode", LOST, ValueError, "text.encode('utf-8', 'replace').decode() cleans it"),
    *(("train", bad, ValueError, "has a lone surrogate at index 3, ")
      for bad in (LOST, ["fine", "bad\udfff"])),
    *(("train", {"b<a>": 3, "ab": bad}, ValueError, f"'ab' cannot occur {bad} times")
      for bad in (-1, 1.5)),
    ("size", 257, ValueError, "vocab_size is 257, but must be 258, as many tokens as there are"),
    ("size", 1_114_113, ValueError, "to 1,114,112"),
    *(("size", bad, TypeError, f"vocab_size must be an integer, not {bad!r}")
      for bad in (300.5, "300", None)),
    *((decode, bad, error, f"{bad[-1]!r} is not an id: ids are integers, 0 to 257")
      for decode in ("decode", "decode_bytes", "decode_stream") for bad, error in (
        ([97, 10**9], ValueError), ([97, -1], ValueError), ([Index(), 258], ValueError),
        ([97.0], TypeError), (["a"], TypeError), ([None], TypeError))),
    *((name, 97, TypeError, "pass [97]") for name in ("decode", "decode_bytes", "decode_stream")),
    ("add", "", ValueError, "'' is empty"), ("add", "<a>", ValueError, "'<a>' is taken"),
    ("add", "<new>", ValueError, "'<new>' is taken"),
    ("add", LOST, ValueError, "a special token has a lone surrogate at index 3, "),
    ("add", 5, TypeError, "a special token must be a string, not 5"),
    *(("begin with", bad, TypeError, "special_tokens must be a list")
      for bad in ("<a>", {"<a>"}, frozenset({"<a>"}), {"<a>": 9}, None, 5)),
    *(("allow", bad, ValueError, "['<a>']") for bad in (["<b>"], ["<a>", "x"], "<b>", [None]))],
    ids=short)
def test_bad_input_is_refused_and_nothing_changes(call, argument, error, words):
    tokenizer = BPE(["<a>"]).train("xyxy", 258)
    before = state(tokenizer)
    with pytest.raises(error, match=re.escape(words)):
        CALLS[call](tokenizer, argument)
    assert state(tokenizer) == before and tokenizer.encode("xy") == [257]

def test_what_can_be_an_index_is_an_id_and_nothing_allowed_is_none_allowed():
    assert BPE().decode([Index()]) == "a" == "".join(BPE().decode_stream([Index()]))
    assert BPE(["<a>"]).encode("<a>", allowed_special=None) == [60, 97, 62]

@parametrize("pattern, words", [
    *((pattern, "leaves out") for pattern in (
        r"[a-z]+", r"\w+|\s+", r"[\0-\u2ffe]", r"a|.", r"[^\W\d_]+|\d+|[^\s\w]+|\s+")),
    *((pattern, "finds nothing") for pattern in (r"", r"a*|.", r"a*|[\s\S]", r"(?=a)|[\s\S]")),
    (r"([\s\S])", "groups"), (r"(\w+)|\W", "groups"), ("(", "unterminated|missing"),
    (re.compile(r"[\s\S]", re.IGNORECASE), "flags"), (re.compile(r"[\s\S]", re.DOTALL), "flags"),
    (None, "string"), (b"[^a]|a", "string"), (r"a{99999999999}|[\s\S]", "repeat|large"),
    ("(?:" * 5000 + "a" + ")" * 5000, "recursion|nested"), ("[\ud800a]|[\\s\\S]", "surrogate")],
    ids=short)
def test_a_pattern_that_loses_text_or_is_none_is_refused(pattern, words):
    with pytest.raises(ValueError, match=f"pattern .*({words})"):
        BPE(pattern=pattern)

@parametrize("pattern, text, words", [
    (r"(?s)[^🙂]|🙂(?=!)", "sly 🙂", "leaves out"), (r"(?s)(?=🙂!)|.", "🙂!", "finds nothing")])
def test_a_pattern_that_loses_some_rare_text_is_refused_when_it_does(pattern, text, words):
    with pytest.raises(ValueError, match=words):
        BPE(pattern=pattern).encode(text)

def test_its_repr_is_one_line_of_its_size_special_tokens_and_pattern():
    assert re.search(r"257.*'<a>'", repr(BPE(["<a>"]))) and "\n" not in repr(BPE(["\n"]))
    assert SPLIT.pattern not in repr(BPE()) and r"'\\w+|\\W'" in repr(BPE(pattern=r"\w+|\W"))

# 9. One moment; copies, pickles, processes
def before_each_line(do, action, step=1):
    """Before the n-th line of bpe.py that an action on a tokenizer runs, do something to it.

    It may raise, as Ctrl-C does, or be what another thread might do there. Yield the tokenizer
    and what came of the action, for each step-th n, and last without anything done.
    """
    for n in itertools.count(1, step):
        tokenizer, lines, done, result = ready(), itertools.count(1), [], None
        def trace(frame, event, _):
            if frame.f_code.co_filename == bpe.__file__:
                if event == "line" and next(lines) == n:
                    done.append(True)
                    do(tokenizer)
                return trace
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            result = action(tokenizer)
        except (KeyboardInterrupt, MemoryError, RuntimeError) as error:
            result = type(error)
        finally:
            sys.settrace(before)
        yield tokenizer, result
        if not done:
            assert n > 3 * step, "there was hardly a line"
            return

def stop(_, errors=itertools.cycle([KeyboardInterrupt, MemoryError])):
    raise next(errors)

TEXT = "abc bcd"
CHANGES = {"train": lambda tokenizer: tokenizer.train(TEXT, 260),
           "train on counts": lambda tokenizer: tokenizer.train({TEXT: 1}, 260),
           "add special tokens": lambda tokenizer: tokenizer.add_special_tokens("<b>", "<c>")}

def ready(*changes):
    """A tokenizer that has encoded, and remembers what it did."""
    tokenizer = BPE(["<a>"]).train(TEXT, 258)
    tokenizer.encode(TEXT)
    for change in changes:
        change(tokenizer)
    return tokenizer

def seen(tokenizer):
    return state(tokenizer), tokenizer.encode(TEXT + "<a>", "all")

@parametrize("change", [*CHANGES.values(), lambda tokenizer: tokenizer.encode("abc" + TEXT)],
             ids=[*CHANGES, "encode"])
def test_interrupted_before_any_line_all_has_changed_or_nothing(change):
    before, after = seen(ready()), seen(ready(change))
    for tokenizer, _ in before_each_line(stop, change, 3):
        if seen(tokenizer) != after:
            assert seen(tokenizer) == before
            change(tokenizer)  # begun again, it does what it would have done
        assert seen(tokenizer) == after

@parametrize("change", CHANGES.values(), ids=CHANGES)
@parametrize("read, step", [
    pytest.param(lambda t, _: t.encode(TEXT + "<a>abc", ["<a>"]), 1, id="encode"),
    pytest.param(lambda t, path: t.save(path) or seen(BPE.load(path)), 4, id="save"),
    pytest.param(lambda t, _: seen(copy.copy(t)), 1, id="copy")])
def test_changed_before_any_line_by_another_thread_it_is_as_before_or_after(
        change, read, step, tmp_path):
    path, states = tmp_path / "t.json", [seen(ready()), seen(ready(change))]
    results = [read(ready(), path), read(ready(change), path)]
    for tokenizer, result in before_each_line(change, lambda t: read(t, path), step):
        assert result in results and seen(tokenizer) in states

@parametrize("one, other", [*itertools.permutations([
    lambda t: t.train(TEXT, 260), lambda t: t.add_special_tokens("<b>")], 2)], ids=["train", "add"])
def test_of_two_changes_that_cross_one_is_refused_but_for_the_moment_when_it_counts(one, other):
    in_turn, alone, lost = [seen(ready(one, other)), seen(ready(other, one))], seen(ready(other)), 0
    for tokenizer, result in before_each_line(other, one, 2):
        refused = result is RuntimeError and seen(tokenizer) == alone
        lost += not refused and seen(tokenizer) not in in_turn
    assert lost < 4  # the lines of that moment; all the others refuse

def test_a_save_interrupted_before_any_line_leaves_one_whole_file(tmp_path):
    path, old = tmp_path / "t.json", BPE(["<old>"])
    old.save(path)
    for _ in before_each_line(stop, lambda tokenizer: tokenizer.save(path)):
        found = state(BPE.load(path))
        assert os.listdir(tmp_path) == ["t.json"] and found in (state(old), state(ready()))
        old.save(path)
    assert found == state(ready())

@parametrize("twin", [
    pytest.param(lambda t: pickle.loads(pickle.dumps(t)), id="pickle"), copy.copy, copy.deepcopy])
def test_a_copy_is_equal_and_a_tokenizer_of_its_own(later, twin):
    before, copied, text = state(later), twin(later), CORPUS[:999] + "<pad>"
    assert state(copied) == before and copied.pattern == later.pattern
    assert copied.encode(text, "all") == later.encode(text, "all")
    copied.train(ENGLISH[:9000], later.vocab_size + 1).add_special_tokens("<|new|>")
    assert state(later) == before

def test_processes_encode_alike(trained):
    with get_context("spawn").Pool(2) as pool:
        ids = pool.starmap(BPE.encode, [(trained, BANGLA[:5000] + "<|end|>", "all")] * 4)
    assert ids == [trained.encode(BANGLA[:5000] + "<|end|>", "all")] * 4

# 10. Hugging Face tokenizers and tiktoken
# GPT-2's rule: a byte that prints is its own character, the others are those from 256 on.
PRINTS = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), 256)]
GPT2 = dict(zip(PRINTS + [byte for byte in range(256) if byte not in PRINTS],
                map(chr, [*PRINTS, *range(256, 324)])))

@pytest.fixture
def hugging_face(tmp_path):
    """Write a tokenizer for Hugging Face; return what was written."""
    def write(tokenizer):
        tokenizer.save_huggingface(tmp_path / "hf.json")
        return (tmp_path / "hf.json").read_bytes().decode()
    return write

def test_the_file_for_hugging_face_has_tokens_and_merges_in_gpt2s_characters(later, hugging_face):
    content, ids = json.loads(hugging_face(later)), [*range(256), *later.merges.values()]
    level = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=False, use_regex=False)
    split = dict(type="Split", behavior="Isolated", invert=False,
                 pattern=content["pre_tokenizer"]["pretokenizers"][0]["pattern"])
    assert content["pre_tokenizer"] == dict(type="Sequence", pretokenizers=[split, level])
    assert (content["version"], content["decoder"], content["model"]["type"]) == (
        "1.0", level, "BPE")
    tokens = ["".join(map(GPT2.get, token)) for token in later.vocab.values()]
    assert content["model"]["vocab"] == {**{tokens[id]: id for id in ids}, **later.special_tokens}
    assert content["model"]["merges"] == [f"{tokens[a]} {tokens[b]}" for a, b in later.merges]
    assert {token["content"]: token["id"] for token in content["added_tokens"]} == (
        later.special_tokens)
    for token in content["added_tokens"]:
        assert [key for key, value in token.items() if value is True] == ["special"]

def test_tiktokens_arguments_are_the_bytes_of_bytes_and_merges_and_the_special_tokens(later):
    kwargs, ids = later.tiktoken_kwargs("mine"), [*range(256), *later.merges.values()]
    assert kwargs.pop("pat_str") and kwargs.pop("name") == "mine" and kwargs == {
        "special_tokens": later.special_tokens,
        "mergeable_ranks": {later.vocab[id]: id for id in ids}}
    assert kwargs["special_tokens"] is not later.special_tokens

@pytest.fixture
def exported(hugging_face):
    """Return the expression that is exported for a pattern, in Python's way of writing."""
    def export(pattern):
        split = json.loads(hugging_face(BPE(pattern=pattern)))["pre_tokenizer"]["pretokenizers"][0]
        expression = BPE(pattern=pattern).tiktoken_kwargs("t")["pat_str"]
        assert split["pattern"]["Regex"] == expression
        return re.sub(r"\\x\{(\w+)\}", lambda code: f"\\U{int(code[1], 16):08x}", expression)
    return export

def test_the_exported_expression_splits_at_every_code_point(exported):
    expression = exported(SPLIT)
    assert re.findall(expression, AMONG_OTHERS) == SPLIT.findall(AMONG_OTHERS)
    assert not re.search(r"\\[sdwSDW]", expression)  # each engine has its own notion of these

@parametrize("pattern", [
    r"\n|\.|[^\n.]+", r"\w+|\W", r"\S+|\s+", r"\D+|\d", r"[\s\S]", r"\t|\r|\f|[^x]|x",
    r"(?:ab|cd)+|[^x]|x", r"[\[\]\\^$|?*+(){}&~#/-]+|[^x]|x", r"a(?=b)|[^x]|x", r"a(?!b)|[^x]|x",
    r"[\u0980-\u09ff]+|[^x]|x", r"\x20|[^x]|x", r"a{2,3}|b{2}|c{1,}|[^x]|x"])
def test_a_pattern_that_all_engines_read_alike_is_carried(exported, pattern):
    text = CORPUS[:5000] + "".join(STRANGE) + "abab cdcd aabbcc [1] a.b\t\f\r\n"
    assert re.findall(exported(pattern), text) == re.findall(pattern, text)

@pytest.mark.filterwarnings("ignore::FutureWarning")  # of [a&&b] and [[a], by Python's re
@parametrize("content, words, carried", [
    pytest.param(dict(merges=[[97, 98, 256], [98, 99, 257], [256, 99, 258], [97, 257, 259]]),
                 "the same bytes", {}, id="abc in two ways"),
    pytest.param(dict(merges=[[98, 99, 256], [97, 98, 257], [257, 99, 258]]),
                 "token 258, b'abc', have", {"save_huggingface"}, id="abc is encoded as a bc"),
    pytest.param(dict(merges=[], special_tokens={"<a>": 256, "<a>b": 257}), "special token '<a>'",
                 {"save_huggingface"}, id="a special token begins another"),
    pytest.param(dict(merges=[[*pair, new] for new, pair in enumerate(
        zip([35, *range(256, 264)], b"version "), 256)]), "#version", {"tiktoken_kwargs"}, id="#v"),
    *(pytest.param(dict(merges=[], special_tokens={text: 256}), f"special token {text!r}",
                   {"tiktoken_kwargs"}, id=f"GPT-2's {text}") for text in ("é", "Ġa", "a")),
    *(pytest.param(dict(merges=[], pattern=pattern),
                   f"elsewhere, from its character {at} ", {}, id=pattern) for pattern, at in {
        r"\b[\s\S]|[\s\S]": 0, r"(?i:a)|[\s\S]": 0, r"^a|[\s\S]": 0, r"a$|[\s\S]": 1,
        r"[a&&b]|[\s\S]": 0, r"[+--b]|[\s\S]": 0, r"[a~~b]|[\s\S]": 0, r"\a|[\s\S]": 0,
        r"(?<=a)b|[\s\S]": 0, r"[\s\S]{1,2}?": 6, r"[[a]|[\s\S]": 0, r"[][]|[^][]": 0,
        r"a{,2}b|[\s\S]": 1, r"b|[^]|[a]|[\s\S]": 2, r"(?=a)*b|[\s\S]": 4,
        r"(?:a?|b)*b|[\s\S]": 7, r"(?:a?|b){2}a|[\s\S]": 7, r"(?!(?:a))+b|[\s\S]": 8,
        r"\D(?:)+|\d": 5, **({r"[\s\S]{1,2}+": 6} if sys.version_info > (3, 11) else {})}.items())])
def test_what_would_have_other_ids_is_refused(content, words, carried, from_file, tmp_path):
    tokenizer = from_file(**{"pattern": "[^x]|x", **content})
    for name, argument in ("save_huggingface", tmp_path / "hf.json"), ("tiktoken_kwargs", "t"):
        refused = pytest.raises(ValueError, match=re.escape(words))
        with contextlib.nullcontext() if name in carried else refused:
            getattr(tokenizer, name)(argument)
    assert (tmp_path / "hf.json").exists() == ("save_huggingface" in carried)

def library(name):
    """The library, or a skip where it is not installed; one that is broken fails."""
    return pytest.importorskip(
        name, reason=f"{name} is not installed", exc_type=ModuleNotFoundError)

@pytest.fixture(params=["tokenizers", "tiktoken"])
def carried_over(request, hugging_face):
    """Carry a tokenizer over into a library; return its encode and decode, special tokens known."""
    module = library(request.param)
    def carry(tokenizer):
        if request.param == "tiktoken":
            theirs = module.Encoding(**tokenizer.tiktoken_kwargs("t"))
            return lambda text: theirs.encode(text, allowed_special="all"), theirs.decode
        theirs = module.Tokenizer.from_str(hugging_face(tokenizer))
        return (lambda text: theirs.encode(text).ids,
                lambda ids: theirs.decode(ids, skip_special_tokens=False))
    return carry

@parametrize("name", ["trained", "later", "untrained", "GPT-2's pattern", "letters"])
def test_a_library_gives_the_same_ids_and_the_same_text(carried_over, name, trained, later):
    gpt2_like = r"'s|'t| ?[^\W\d_]+| ?\d{1,}| ?[^\s\w]+|\s+(?!\S)|\s+|_"
    tokenizer = {"trained": lambda: trained, "later": lambda: later, "untrained": BPE,
                 "GPT-2's pattern": lambda: BPE(pattern=gpt2_like).train(CORPUS, 800),
                 "letters": lambda: BPE(pattern=r"[\s\S]")}[name]()
    encode, decode = carried_over(tokenizer)
    pages = [CORPUS[i:i + 400] for i in range(0, len(CORPUS), 4000)]
    for text in [*STRANGE, *pages, *any_texts(8, 1000)]:
        assert encode(text) == tokenizer.encode(text, allowed_special="all"), ascii(text)
        assert decode(encode(text)) == text, ascii(text)

@parametrize("special", ["\n", " ", "\t", "aa", "\n\n"], ids=short)
def test_a_special_token_whose_bytes_are_those_of_another_is_carried(carried_over, special):
    tokenizer = BPE([special], "[abc ]+|[^abc ]+").train(["aaa", " bbb", "\n\n\t", "ccc"], 261)
    encode, decode = carried_over(tokenizer)
    for text in "a b\tc\n\n\naa bbb aaa", "xyz", special * 5, "ccc" + special:
        assert encode(text) == tokenizer.encode(text, "all") and decode(encode(text)) == text

def test_a_library_knows_which_tokens_are_special(later, hugging_face):
    theirs = library("tokenizers").Tokenizer.from_str(hugging_face(later))
    assert theirs.decode([97, *later.special_tokens.values()]) == "a"
    theirs = library("tiktoken").Encoding(**later.tiktoken_kwargs("mine"))
    assert theirs.encode_ordinary("hi<pad>") == later.encode("hi<pad>")

def swept():
    """Texts that hold every code point alone, after and before a letter, and after a space."""
    codes = CODE_POINTS[::1 if os.environ.get("SWEEP") == "all" else 16]
    codes += [code for code in CODE_POINTS if chr(code).isspace() or chr(code).isdecimal()]
    for i in range(0, len(codes), 10_000):
        yield "".join([f"{c}a{c} {c}\n{c}" for c in map(chr, codes[i:i + 10_000])])

def test_hugging_face_splits_at_every_code_point_as_we_do(hugging_face):
    split = library("tokenizers").Tokenizer.from_str(hugging_face(BPE())).pre_tokenizer[0]
    for text in swept():
        assert [piece for piece, _ in split.pre_tokenize_str(text)] == PIECE.findall(text)

def test_tiktoken_splits_at_every_code_point_as_we_do():
    # Its pieces can not be seen, but a piece that is a token comes out as one id.
    tiktoken, kwargs = library("tiktoken"), BPE().tiktoken_kwargs("pieces")
    for text in swept():
        pieces, ranks = [piece.encode() for piece in PIECE.findall(text)], {
            bytes([byte]): byte for byte in range(256)}
        for piece in pieces:
            ranks.setdefault(piece, len(ranks))
        theirs = tiktoken.Encoding(**{**kwargs, "mergeable_ranks": ranks})
        assert theirs.encode_ordinary(text) == [ranks[piece] for piece in pieces]



# 11. The command line
ASCII = dict(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="cp1252")
BOOK = "\ufeffবাংলা ভাষার অনেক শব্দ text\r\nline\rend\0 <|end|>  \u2028 🙂 no newline".encode() * 20
BPE_PY = [sys.executable, "-S", str(HERE / "bpe.py")]  # -S: with the standard library alone
each_locale = parametrize("env", [{}, ASCII], ids=["UTF-8", "ASCII"])

@pytest.fixture
def run(tmp_path, trained):
    """Run bpe.py where tokenizer.json is; return its exit code, what it wrote, and its errors."""
    trained.save(tmp_path / "tokenizer.json")
    (tmp_path / "book.txt").write_bytes(BOOK)
    def run(arguments, env={}, **options):
        words = arguments.split() if isinstance(arguments, str) else arguments
        done = subprocess.run([*BPE_PY, *words], cwd=str(tmp_path), env={**os.environ, **env}, **{
            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})
        return done.returncode, done.stdout, (done.stderr or b"").decode()
    return run

@each_locale
def test_train_learns_from_files_and_says_what_it_wrote(run, tmp_path, env):
    code, out, err = run("train book.txt - --vocab-size 310 --special <|end|> --special <|শেষ|> "
                         "-o t.json", input=b"more text", env=env)
    assert (code, out) == (0, b"") and "\r" not in err
    assert "300 of 310 tokens" in err and "t.json: 310 of 310 tokens" in err
    assert state(BPE.load(tmp_path / "t.json")) == state(
        BPE(["<|end|>", "<|শেষ|>"]).train([BOOK.decode(), "more text"], 310))

def test_train_learns_2000_tokens_into_tokenizer_json_unless_told_otherwise(run, tmp_path):
    assert run(["train", str(HERE / "corpus_en.txt")])[0] == 0
    assert state(BPE.load(tmp_path / "tokenizer.json")) == state(BPE().train(ENGLISH, 2000))

@parametrize("filters", ["", "error", "ignore"], ids=["no filter", "error", "ignore"])
def test_train_tells_why_it_stopped_early(run, filters):
    code, _, err = run("train - -o t.json", input=b"abab", env={"PYTHONWARNINGS": filters})
    assert code == 0 and re.match(r"bpe\.py: stopped at 258 of 2,000 tokens: no pair", err)

@each_locale
@parametrize("given", ["book.txt", "-", ""])
def test_encode_prints_ids_and_decode_gives_the_same_bytes_again(run, trained, given, env):
    code, ids, err = run("encode " + given, input=BOOK, env=env)
    assert (code, err) == (0, "") and [*map(int, ids.split())] == trained.encode(BOOK.decode())
    assert run("decode", input=ids, env=env) == (0, BOOK, "")

@posix
@parametrize("arguments, given", [("train - -o t.json --vocab-size 300", BOOK), ("encode", BOOK),
                                  ("decode -", b"97 98")])
def test_piped_input_is_read_at_a_terminal_too_and_progress_is_told(run, arguments, given):
    terminal, stderr = os.openpty()
    with open(terminal, "rb", buffering=0) as terminal:
        code, out, _ = run(arguments, input=given, stderr=stderr)
        assert f"-: {len(given.decode()):,} characters read" in terminal.read(9999).decode()
    os.close(stderr)
    assert code == 0 and out == run(arguments, input=given)[1]

@parametrize("size", [1, 2, 7, 64])
def test_blocks_of_a_few_characters_have_the_pieces_of_the_whole(tmp_path, size):
    for text in [*STRANGE, *any_texts(9, 50)]:
        (tmp_path / "text").write_bytes(text.encode())
        blocks = [*bpe.blocks(str(tmp_path / "text"), size=size)]
        assert [*itertools.chain(*map(SPLIT.findall, blocks))] == PIECE.findall(text), ascii(text)
        assert [*bpe.blocks(str(tmp_path / "text"), True, size=size)] in ([text], [text, ""])
    (tmp_path / "text").write_bytes(b"word " * 99)
    assert len([*bpe.blocks(str(tmp_path / "text"), size=size)]) > 7

@parametrize("tokenizer, whole", [
    (BPE(["<a>"]), False), (BPE(["a b"]), True), (BPE([" b"]), False), (BPE(["a b", "c"]), True),
    (BPE(pattern=r"\w+|\W"), True)], ids=short)
def test_a_file_is_read_whole_where_a_cut_could_part_a_piece_or_a_special_token(tokenizer, whole):
    assert bpe.must_be_whole(tokenizer) == whole

def test_encode_and_decode_write_the_file_named(run, tmp_path):
    assert run("encode book.txt -o ids.txt") == (0, b"", "")
    (tmp_path / "bom.txt").write_bytes(b"\xef\xbb\xbf" + (tmp_path / "ids.txt").read_bytes())
    assert run("decode bom.txt -o again.txt") == (0, b"", "")
    assert (tmp_path / "again.txt").read_bytes() == BOOK
    assert run("decode", input=b"224 166\n") == (0, b"\xe0\xa6", "")  # no text, but bytes

@each_locale
@parametrize("text, tokens", [("ক", "1 token"), ("বাংলা 🙂x\n", "tokens")])
def test_show_prints_the_tokens_their_ids_and_their_number(run, trained, text, tokens, env):
    ids = trained.encode(text)
    assert run(["show", text], env=env) == (0, "".join([
        shown(trained, ids), "\n", " ".join(map(str, ids)), "\n", str(len(ids))[:len(ids) > 1],
        " "[:len(ids) > 1], tokens, "\n"]).encode(), "")

def test_show_steps_puts_a_text_together_from_its_bytes_merge_by_merge(run, from_file):
    from_file(merges=[[98, 99, 256], [97, 256, 257], [32, 257, 258]])
    assert run(["show", "--steps", "abc abc!", "-t", "file.json"]) == (0, (
        b"a|b|c| |a|b|c|!\na|bc| |a|bc|!\nabc| |abc|!\nabc| abc|!\n257 258 33\n3 tokens\n"), "")

def test_export_writes_the_file_for_hugging_face(run, trained, hugging_face, tmp_path):
    assert run("export exported.json")[::2] == (0, "")
    assert (tmp_path / "exported.json").read_bytes().decode() == hugging_face(trained)

@parametrize("arguments, stdin, words", [
    ("train none.txt", b"", "none.txt"), ("train -", b"caf\xe9", "not UTF-8"),
    ("train - --vocab-size 9", b"ab", "vocab_size is 9, but must be 256"),
    ("train - --special=", b"ab", "'' is empty"), ("encode none.txt", b"", "none.txt"),
    *((f"train book.txt -o {place}", b"", place) for place in (
        "none/t.json", "book.txt/t.json", ".", "-", "/dev/stdout", "/dev/fd/1")),
    ("encode -o none/ids.txt", b"x", "none/ids.txt"), ("export none/hf.json", b"", "none/hf.json"),
    ("encode", b"caf\xe9", "not UTF-8"), ("encode hello", b"", "show"), ("show x -t .", b"", "."),
    ("encode -t none.json", b"x", "none.json is not there: run train"),
    ("encode -t book.txt", b"x", "book.txt holds no tokenizer"),
    ("decode", b"9999", "9999 is not an id"), ("decode", b"\xff\xfe1\0", "UTF-16"),
    *(("decode", f"97 {junk} 98".encode(), f"'{junk[:50]}") for junk in (
        "1.5", "[1,", "9_7", "+97", "৯৭", "-1", "9" * 200_000 + "x")),
    ("export tokenizer.json", b"", "tokenizer.json is the tokenizer")], ids=short)
def test_what_goes_wrong_is_told_in_one_line_and_nothing_is_left(
        run, arguments, stdin, words, tmp_path):
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run(arguments, input=stdin, timeout=60)
    assert code == 1 and out == b"" and words in err and err.count("\n") == 1, err
    assert ".bpe-" not in err and before == {p: p.read_bytes() for p in tmp_path.iterdir()}

@parametrize("arguments", ["nonsense", "show", "train", "export a b"])
def test_a_command_that_is_none_is_answered_with_usage(run, arguments):
    code, out, err = run(arguments)
    assert code == 2 and err.startswith("usage") and "Traceback" not in err

@parametrize("name, options", [
    ("", "train|encode|decode|show|export|tour"), ("show", "--steps|-t "), ("export", "-t |file"),
    ("train", "--vocab-size|2000|--special|-o |tokenizer.json|several"),
    ("encode", "-t |tokenizer.json|-o "), ("decode", "-t |tokenizer.json|-o ")])
def test_help_tells_of_every_option_and_its_default(run, name, options):
    code, out, err = run(name + " --help")
    assert code == 0 and all(option in out.decode() for option in options.split("|"))

@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@parametrize("unbuffered", ["", "1"])
@parametrize("arguments", ["show x", "decode", "encode"])
def test_output_that_cannot_be_written_is_told_in_one_line(run, arguments, unbuffered):
    with open("/dev/full", "wb") as full:
        code, _, err = run(arguments, input=b"97 " * 9, stdout=full,
                           env={"PYTHONUNBUFFERED": unbuffered})
    assert code == 1 and err.count("\n") == 1

@parametrize("arguments", ["encode book.txt", "show x", "decode"])
def test_a_closed_pipe_ends_it_quietly(run, arguments):
    read, write = os.pipe()
    os.close(read)
    code, _, err = run(arguments, stdout=write, input=b"97")
    os.close(write)
    assert code != 0 and err == ""

@posix
@parametrize("arguments", [["train", "-"], ["encode"], ["decode"]], ids=short)
def test_ctrl_c_is_told_in_one_line(arguments, run, tmp_path):
    process = subprocess.Popen(  # which heeds SIGINT, even where this is run in the background
        [*BPE_PY, *arguments], cwd=str(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, bufsize=0, preexec_fn=lambda: signal.signal(
            signal.SIGINT, signal.SIG_DFL))
    process.stdin.write(b"97 " * 100_000)  # more than a pipe holds: so it has begun to read
    process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130 and re.fullmatch(rb"bpe.py: interrupted.*\n", err)

def test_want_of_memory_is_told_in_one_line(monkeypatch, capsys):
    monkeypatch.setattr(bpe, "parsed_arguments", lambda: stop(None, iter([MemoryError])))
    assert bpe.main() == 1 and re.fullmatch(r"bpe.py: .*[mM]emory.*\n", capsys.readouterr().err)

def test_importing_prints_nothing_and_what_stands_above_the_tour_works_alone(tmp_path):
    above, _ = (HERE / "bpe.py").read_bytes().decode().split("\n# The tour -")
    (tmp_path / "mine.py").write_text(above, encoding="utf-8")
    code = """import sys, threading; sys.path.insert(0, sys.argv[1])
import bpe; assert threading.active_count() == 1 and 'tiktoken' not in sys.modules
sys.path.insert(0, '.'); from mine import BPE
tokenizer = BPE(['<a>']).train('aaaa', 258); tokenizer.save('t.json')
tokenizer.tiktoken_kwargs('t'); tokenizer.save_huggingface('hf.json')
assert BPE.load('t.json').encode('aa<a>', 'all') == [257, 256]"""
    done = subprocess.run([sys.executable, "-I", "-c", code, str(HERE)], cwd=str(tmp_path),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert (done.returncode, done.stdout) == (0, b"")

# 12. The tour, README, and the examples
TEXTS = {"English": ENGLISH, "Bangla": BANGLA}
TENTH = {name: len(text) // 10 for name, text in TEXTS.items()}

def shown(tokenizer, ids):
    return "|".join([bpe.readable(tokenizer.vocab[id]) for id in ids])

def steps(tokenizer, ids):
    """Yield the ids of one piece, then after each merge that changes them."""
    yield ids
    for pair, new in tokenizer.merges.items():
        before, ids = ids, merged(ids, pair, new)
        if ids != before:
            yield ids

@functools.lru_cache(maxsize=None)
def on_nine_tenths(size=2000, pattern=SPLIT, languages=("English", "Bangla")):
    return BPE(pattern=pattern).train([TEXTS[name][:-TENTH[name]] for name in languages], size)

def costs(label, *training):
    """The lines of an experiment: the cost of the last tenths, after training on the others."""
    for name, text in TEXTS.items():
        cost = len(on_nine_tenths(*training).encode(text[-TENTH[name]:])) / TENTH[name]
        yield f"\n{label} {name} {cost:.3f} {'█' * round(cost * 30)}\n"

def table(tokenizer, source):
    """Section 3's: the tokens of three sentences, and how much dearer Bangla is than English."""
    rows = {name: (len(text), len(text.encode()), len(tokenizer.encode(text)), *theirs)
            for name, (text, *theirs) in bpe.HELD_OUT.items()}
    times = [f"{b / e:.1f}" for b, e in zip(rows["Bangla"][2:], rows["English"][2:])]
    return ["characters bytes ours cl100k_base o200k_base\n",
            *(f"{name} {' '.join(map(str, row))}\n" for name, row in rows.items()),
            f" {' '.join(times)}\n", source]

LETTERS = r" ?[^\W\d_]+| ?\d{1,3}| ?(?:[^\s\w]|_)+|\s+"  # as in GPT-2
DUE = {  # what each section shows, in this order, worked out here
    1: lambda t: ["|".join(PIECE.findall("দাম ৩৫টি, 1250 টাকা।")), *(
        f"{name} {len(text):,} {len(text.encode()):,} {len(text.encode()) / len(text):.2f} "
        f"{len(set(PIECE.findall(text))):,}\n" for name, text in TEXTS.items())],
    2: lambda t: [f": {shown(t, range(257, 269))}\n", f": {shown(t, range(1640, 2000, 40))}\n",
                  " 1,743 merges", "tokenizer.json", "200 merges", "20,000", "the same"],
    3: lambda t: table(t, "recorded with tiktoken 0.14.0"),
    4: lambda t: [f"{shown(t, ids)}\n" for ids in (
        t.encode(bpe.HELD_OUT["Bangla"][0]), *steps(t, [*" ফোন".encode()]))],
    5: lambda t: [line for size in (500, 1000, 2000, 4000, 8000)
                  for line in costs(f"{size:,} tokens", size)],
    6: lambda t: [line for names in (("English",), ("Bangla",), ("English", "Bangla"))
                  for line in costs("on " + " and ".join(names), 2000, SPLIT, names)],
    7: lambda t: [*costs("letters only", 2000, LETTERS), *costs("SPLIT"),
                  *costs("no splitting", 2000, r"[\s\S]+"), *(part for pattern in (LETTERS, PIECE)
        for part in (f" {len(re.findall(pattern, BANGLA)) / len(BANGLA):.2f} pieces per ",
                     "|".join(re.findall(pattern, "বিশ্ববিদ্যালয়")) + "\n"))],
    8: lambda t: [f": {t.encode('ধন্যবাদ<|end|>')}\n", f": {t.encode('ধন্যবাদ') + [256]}\n"],
    9: lambda t: [": " + "|".join(t.vocab[id].decode(errors="replace")
                                  for id in t.encode("ঈদ মোবারক 🌙")), ": ঈ|দ| ম|ো|বার|ক| |🌙"],
    10: lambda t: [" s ", "MB/s\n", " s ", "MB/s\n"]}

@pytest.fixture(scope="session")
def tour(tmp_path_factory, trained):
    """What the tour prints, in parts: how to read it, then ten sections."""
    path = tmp_path_factory.mktemp("tour")
    done = subprocess.run(BPE_PY, cwd=str(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert state(BPE.load(path / "tokenizer.json")) == state(trained)
    return re.split(r"\n\n(?=\d+\. )", done.stdout.decode())

def cells(line):
    """The cells of a terminal that a line takes, at the most."""
    kinds = [(unicodedata.category(c), unicodedata.east_asian_width(c)) for c in line]
    return sum([1 + (width in "WF") for kind, width in kinds if kind not in ("Mn", "Me", "Cf")])

def assert_shows(part, due):
    """The due fragments stand in this order in what is shown, whatever the blanks between words."""
    lines = [" ".join(line.split()) for line in part.split("\n") if line[:2] in ("  ", "\n")]
    left = "\n" + "\n".join(lines).replace("◌", "") + "\n"
    for fragment in due:
        fragment = re.sub(" +", " ", fragment).replace("◌", "").lstrip(" ")
        assert fragment in left, (fragment, left)
        left = "\n" * (fragment[-1] == "\n") + left.split(fragment, 1)[1]
    assert max(map(cells, part.split("\n"))) <= 80 and "\x1b" not in part

@parametrize("number", DUE)
def test_each_section_of_the_tour_shows_what_is_so_in_80_cells(number, tour, trained):
    assert_shows(tour[number], DUE[number](trained))

def test_the_tour_has_ten_sections_with_title_and_finding_in_english_then_in_bangla(tour):
    for number, part in enumerate(tour):
        told = [line for line in part.split("\n") if line and not line.startswith("  ")]
        if number:
            assert re.match(rf"{number}\. [ -~]*· .*[ক-হ]", told.pop(0))
        bangla = [len(re.findall("[ক-হ]", line)) > 9 for line in told]
        assert bangla == sorted(bangla) and len(set(bangla)) == 2, part
    assert number == 10

def test_the_tours_speed_is_that_of_encoding_both_corpora(tour):
    size = len("\n".join(TEXTS.values()).encode()) / 1e6
    for seconds, rate in re.findall(r" ([\d.]+) s +([\d.]+) MB/s", tour[10]):
        assert float(rate) == pytest.approx(size / float(seconds), rel=0.1)
    assert re.search(r"\b\d{1,3} times as fast", tour[2])

def test_token_counts_are_counted_where_tiktoken_is_and_are_those_recorded(trained, capsys):
    tiktoken = library("tiktoken")
    try:
        tiktoken.get_encoding("cl100k_base"), tiktoken.get_encoding("o200k_base")
    except Exception as error:
        pytest.skip(f"the files of cl100k_base and o200k_base are not to be had: {error}")
    bpe.comparing(TEXTS, trained)
    out = capsys.readouterr().out
    assert_shows(out, table(trained, f"with tiktoken {tiktoken.__version__}"))
    assert "recorded" not in out

def test_where_nothing_can_be_saved_the_tour_says_so_and_goes_on(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    os.mkdir("tokenizer.json")
    bpe.training({"English": ENGLISH[:9000], "Bangla": BANGLA[:9000]}, BPE())
    assert re.search(r"(?s)\n  not saved: .*tokenizer\.json.*the same", capsys.readouterr().out)

def test_each_section_of_the_tour_is_flushed_as_it_ends(monkeypatch):
    class Output(io.StringIO):
        def flush(self):
            flushed.append(self.getvalue().count("shown"))
    flushed = []
    for name in ("cutting training comparing splitting vocabulary_sizes corpus_mixes "
                 "split_patterns typed_or_sent streaming speed").split():
        monkeypatch.setattr(bpe, name, lambda *_: print("shown"))
    monkeypatch.setattr(sys, "stdout", Output())
    bpe.tour(None)
    assert flushed == [*range(1, 11)]

@parametrize("token, text", [
    (b"\xe0\xa6", "⟨e0 a6⟩"), ("া".encode() + b"\xe0", "◌া⟨e0⟩"), (b" the", " the"),
    (b"\x80\n\x1b", "⟨80⟩\\n\\x1b"), (b"\xc2\x9b", "\\x9b")], ids=short)
def test_tokens_are_readable(token, text):
    assert bpe.readable(token) == text

def test_the_examples_in_bpe_py_hold():
    results = doctest.testmod(bpe)
    assert results.attempted > 10 and results.failed == 0

README = (HERE / "README.md").read_bytes().decode()
WORDS = " ".join(README.split())
LATIN = str.maketrans("০১২৩৪৫৬৭৮৯", "0123456789")

def bangla_figures(line):
    return [figure.translate(LATIN) for figure in re.findall("[০-৯]+(?:[.,][০-৯]+)*", line)]

def test_readme_shows_what_the_tour_prints(tour):
    lines = "\n".join(tour).split("\n")
    for line in README.split("shortened:\n\n")[1].split("\n\n")[0].split("\n"):
        assert line[4:] in lines, line

def test_readmes_example_by_hand_is_right_in_both_languages():
    text, names = "aaabdaaabac", {256: "Z", 257: "Y", 258: "X"}
    for (a, b), new in BPE().train(text, 259).merges.items():
        pair = "".join(names.get(id, chr(id)) for id in (a, b))
        count = sum([text.startswith(pair, i) for i in range(len(text))])
        row = re.search(rf"^    {text} .*\b{pair}\b.* {names[new]} = {pair}$", README, re.M)[0]
        assert {4: "4 times", 2: "twice"}[count] in row and f"`{text}`" in WORDS
        assert f"{new} হলো {names[new]} = {pair}" in WORDS.translate(LATIN)
        text = text.replace(pair, names[new])
    assert f"    {text}  " in README and f": `{text}`।" in WORDS

def test_the_figures_of_readme_are_the_tours(tour, trained):
    costs = {(label, name): cost for part in tour for label, name, cost in re.findall(
        r"^  (.+?) +(English|Bangla) +(\d\.\d+) █", part, re.M)}
    sizes = ["500", "1,000", "2,000", "4,000", "8,000"]
    en, bn = ([costs[f"{size} tokens", name] for size in sizes] for name in ("English", "Bangla"))
    counts = [[len(trained.encode(text)), *theirs] for text, *theirs in bpe.HELD_OUT.values()]
    text, (ours, cl100k, o200k) = bpe.HELD_OUT["Bangla"][0], counts[1]
    other, eid = costs["letters only", "Bangla"], [*map(trained.decode, zip(trained.encode(
        "ঈদ মোবারক 🌙")))]
    for words in [f"a Bangla sentence of {len(text)} characters takes {cl100k} tokens in "
                  f"cl100k_base (GPT-4), {o200k} in o200k_base (GPT-4o), and {ours} with the 2,",
                  f"| tokens | {' | '.join(sizes)} |", f"| English | {' | '.join(en)} |",
                  f"| Bangla | {' | '.join(bn)} |", f"takes {costs['on English', 'Bangla']}: sect",
                  f"with letters only, as in GPT-2, {other}: section 7"]:
        assert words in WORDS, words
    sentence = re.search(r"(?s)মডেলের দাম.*?তবে", README)[0]
    assert bangla_figures(sentence) == [*map(str, (len(text), cl100k, o200k)), "2,000", str(ours)]
    steps_taken = [*map(len, steps(trained, [*" ফোন".encode()]))]
    for number, due in {
            1: [len(ENGLISH), len(BANGLA), *(f"{len(text.encode()) / len(text):.2f}"
                                             for text in (ENGLISH, BANGLA))],
            2: [len(trained.merges)], 3: sum(counts, []),
            4: [ours, steps_taken[0], len(steps_taken) - 1],
            5: [500, en[0], bn[0], "2,000", en[2], bn[2], "8,000", en[4], bn[4]],
            6: [costs[f"on {names}", "Bangla"]
                for names in ("English", "Bangla", "English and Bangla")],
            7: [len(re.findall(LETTERS, "বিশ্ববিদ্যালয়")), other, 1, bn[2]],
            8: [len(trained.encode("ধন্যবাদ<|end|>")), len(trained.encode("ধন্যবাদ")) + 1, 256],
            9: [len(eid), sum(["\ufffd" in part for part in eid])]}.items():
        line = re.search(f"(?m)^- {number}: .*", README.translate(LATIN))[0]
        line = README.split("\n")[README.translate(LATIN).split("\n").index(line)]
        assert bangla_figures(line)[1:] == [
            f"{n:,}" if isinstance(n, int) else n for n in due], line

def test_what_was_measured_on_other_texts_is_the_same_in_both_languages():
    english, bangla = (re.search(f"(?s){a}.*?{b}", README)[0] for a, b in (
        ("That sentence is", "##"), ("তবে বাক্যটা", "\n\n")))
    english = re.findall(r"\d\.\d+|\d+,000", english.replace("1.45 million", ""))
    assert {*english} <= {*bangla_figures(bangla), "2,000"}

@parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S), ids=short)
def test_a_python_block_of_readme_runs_and_gives_what_its_comments_say(code, tmp_path, monkeypatch):
    for name in re.findall(r"^(?:import|from) (tokenizers|tiktoken)\b", code, re.M):
        library(name)
    for path in [*HERE.glob("*.py"), *HERE.glob("*.txt")]:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    if "__main__" in code or "argv" in code:  # a script, of many processes or of a file's speed
        if "Pool" in code:
            code += ("    one = BPE.load('many.json').encode\n    print(lines == [one(line) for "
                     "line in open('corpus_bn.txt', encoding='utf-8', newline='')] != [])")
        Path("script.py").write_text(code, encoding="utf-8")
        Path("short.txt").write_text(CORPUS[:9999], encoding="utf-8")
        done = subprocess.run([sys.executable, "script.py", "short.txt"], stdout=subprocess.PIPE)
        assert done.returncode == 0 and (done.stdout.split() == [b"True"] or "argv" in code)
        return
    names = {}
    for node in ast.parse(code).body:
        source = ast.get_source_segment(code, node)
        comment = re.search(r"(?<! )  # (.+)$", code.splitlines()[node.end_lineno - 1])
        if isinstance(node, ast.Expr) and comment:
            assert repr(eval(source, names)) == comment[1], source
        else:
            exec(source, names)

def test_readmes_line_for_spark_learns_the_same_merges(tmp_path):
    session = library("pyspark") and __import__("pyspark.sql").sql.SparkSession
    line = re.search(r"`(BPE\(\)\.train\(sc\..+?)`", README)[1]
    sc = session.builder.master("local[1]").getOrCreate().sparkContext
    os.chdir(HERE)
    assert learned(eval(line)) == learned(BPE().train(ENGLISH.split("\n"), 2000))
