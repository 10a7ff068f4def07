"""Questions over pools of chunks, with the chunks that contain the evidence."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# A plain rewording, for pools that repeat themselves. Fillers are dropped.
_SYNONYMS = dict(
    pair.split("=")
    for line in (
        "great=wonderful good=nice happy=glad sad=unhappy big=large",
        "small=little buy=purchase bought=purchased start=begin started=began",
        "finished=completed help=assist job=position kids=children",
        "picture=photo love=adore like=enjoy friends=pals talked=spoke",
        "think=believe amazing=incredible awesome=fantastic beautiful=gorgeous",
        "hard=difficult easy=simple trip=journey recently=lately",
        "excited=thrilled made=created new=fresh important=crucial",
        "tough=challenging cool=neat definitely=certainly maybe=perhaps",
        "try=attempt tried=attempted get=obtain went=headed saw=noticed",
        "chance=opportunity fun=enjoyable",
    )
    for pair in line.split()
)
_FILLERS = frozenset({"hey", "wow", "just", "so", "really", "yeah", "oh", "well"})
_CONTRACTIONS = {
    "I'm": "I am",
    "it's": "it is",
    "It's": "It is",
    "don't": "do not",
    "didn't": "did not",
    "I've": "I have",
    "I'll": "I will",
    "can't": "cannot",
    "that's": "that is",
    "That's": "That is",
    "you're": "you are",
    "we're": "we are",
}
_SHARE_OF_TRUNCATED = 0.6


@dataclass(frozen=True)
class Question:
    """A question, and the ids of the chunks that contain the evidence."""

    query: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Pool:
    """Chunks to select from, and the questions about them."""

    name: str
    #: Each has a text, and fields that tell its structure.
    chunks: Sequence[Mapping[str, Any]]
    #: Id of each chunk; empty for a copy that lacks a part of the original.
    ids: Sequence[str]
    questions: Sequence[Question]

    def with_copies(self) -> Pool:
        """Each chunk three times: verbatim, truncated and reworded.

        The count is strict: only the verbatim copy is evidence.
        """
        chunks, ids = [], []
        for chunk, name in zip(self.chunks, self.ids, strict=True):
            for change in (str, truncated, reworded):
                chunks.append({**chunk, "text": change(str(chunk["text"]))})
                ids.append(name if change is str else "")
        return Pool(f"{self.name}, three copies", chunks, ids, self.questions)


def truncated(text: str) -> str:
    """The beginning of a text."""
    words = text.split()
    return " ".join(words[: max(3, int(_SHARE_OF_TRUNCATED * len(words)))])


def reworded(text: str) -> str:
    """The text with its first sentence last, and other words for many."""
    speaker, colon, said = text.partition(": ")
    sentences = re.split(r"(?<=[.!?])\s+", said if colon else text)
    words = []
    for word in " ".join(sentences[1:] + sentences[:1]).split():
        letters = re.match(r"[A-Za-z]*", word)
        stem = letters[0].lower() if letters else ""
        if word in _CONTRACTIONS:
            words.append(_CONTRACTIONS[word])
        elif stem in _SYNONYMS:
            words.append(_SYNONYMS[stem] + word[len(stem) :])
        elif stem not in _FILLERS:
            words.append(word)
    return f"{speaker}{colon}{' '.join(words)}" if colon else " ".join(words) or text


def locomo(path: Path, first: int, last: int) -> Iterator[Pool]:
    """Conversations of LoCoMo, counted from 1: one chunk per turn.

    Maharana et al., "Evaluating Very Long-Term Conversational Memory of LLM Agents",
    ACL 2024.
    """
    conversations = json.loads(path.read_text(encoding="utf-8"))
    for number in range(first, last + 1):
        conversation = conversations[number - 1]
        talk = conversation["conversation"]
        sessions = [key for key in talk if re.fullmatch(r"session_\d+", key)]
        chunks, ids = [], []
        for session in sorted(sessions, key=lambda key: int(key.split("_")[1])):
            for turn in talk[session]:
                caption = turn.get("blip_caption", "")
                shown = f" [image: {caption}]" if caption else ""
                chunks.append(
                    {
                        "text": f"{turn['speaker']}: {turn['text']}{shown}",
                        "speaker": turn["speaker"],
                        "date": talk[f"{session}_date_time"],
                        "session": session,
                    }
                )
                ids.append(turn["dia_id"])
        questions = [
            Question(str(each["question"]), frozenset(each["evidence"]))
            for each in conversation["qa"]
            if each["evidence"]
        ]
        yield Pool(f"LoCoMo {number}", chunks, ids, questions)


def qmsum(path: Path) -> Iterator[Pool]:
    """Meetings of QMSum: one chunk per turn, evidence by spans of turns.

    Zhong et al., "QMSum: A New Benchmark for Query-based Multi-domain Meeting
    Summarization", NAACL 2021.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        meeting = json.loads(line)
        turns = meeting["meeting_transcripts"]
        chunks = [
            {
                "text": f"{turn['speaker']}: {turn['content']}",
                "speaker": turn["speaker"],
            }
            for turn in turns
        ]
        questions = [
            Question(
                each["query"],
                frozenset(
                    str(turn)
                    for start, end in each["relevant_text_span"]
                    for turn in range(int(start), int(end) + 1)
                ),
            )
            for each in meeting["specific_query_list"]
        ]
        ids = list(map(str, range(len(turns))))
        yield Pool(f"QMSum {number}", chunks, ids, questions)
