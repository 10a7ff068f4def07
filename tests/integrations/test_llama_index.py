import asyncio

import pytest
from ferry_notes import NOTES, QUERY, tokens
from llama_index.core import Document, MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.schema import (
    ImageNode,
    MetadataMode,
    NodeRelationship,
    NodeWithScore,
    QueryBundle,
    TextNode,
)
from pydantic import ValidationError

from thatch.context import DropReason
from thatch.errors import InputTypeError
from thatch.integrations.llama_index import ContextPostprocessor


def printed(nodes):
    """The context as response synthesizers print it."""
    contents = [each.node.get_content(metadata_mode=MetadataMode.LLM) for each in nodes]
    return "\n\n".join(contents)


@pytest.fixture
def documents():
    sources = dict.fromkeys(source for source, _, _ in NOTES)
    return [
        Document(
            text=" ".join(text for name, _, text in NOTES if name == source),
            id_=f"id-{source}",
            metadata={"file_name": source, "checksum": "0" * 64},
            excluded_llm_metadata_keys=["checksum"],
        )
        for source in sources
    ]


@pytest.fixture
def nodes(documents):
    """One node per sentence or two, as a retriever returns them."""
    splitter = SentenceSplitter(chunk_size=20, chunk_overlap=0, tokenizer=str.split)
    split = splitter.get_nodes_from_documents(documents)
    return [NodeWithScore(node=node, score=0.5) for node in split]


@pytest.fixture
def engine_with(documents):
    def engine(postprocessor):
        llm, embedding = MockLLM(), MockEmbedding(embed_dim=4)
        index = VectorStoreIndex.from_documents(documents, embed_model=embedding)
        return RetrieverQueryEngine(
            retriever=index.as_retriever(similarity_top_k=10),
            response_synthesizer=get_response_synthesizer(llm=llm),
            node_postprocessors=[postprocessor],
        )

    return engine


def test_a_query_engine_prints_within_the_budget(engine_with):
    postprocessor = ContextPostprocessor(budget=60, unit=tokens, use_scores=False)
    engine = engine_with(postprocessor)
    answer = engine.query(QUERY)
    # The model of the tests answers with its prompt.
    _, _, rest = str(answer).partition("---------------------\n")
    context, _, _ = rest.partition("\n---------------------")
    assert context == printed(answer.source_nodes)
    assert 0 < tokens(context) <= 60
    assert "disk was full" in context
    assert "file_name: " in context
    later = asyncio.run(engine.aquery(QUERY))
    assert [each.node_id for each in later.source_nodes] == [
        each.node_id for each in answer.source_nodes
    ]


def test_nodes_are_the_callers_own_and_unchanged(nodes):
    before = [each.model_dump() for each in nodes]
    kept = ContextPostprocessor(budget=60, use_scores=False).postprocess_nodes(
        nodes, QueryBundle(QUERY)
    )
    assert kept
    assert all(any(one is other for other in nodes) for one in kept)
    assert [each.model_dump() for each in nodes] == before
    assert all(each.score == 0.5 for each in kept)
    assert all(NodeRelationship.SOURCE in each.node.relationships for each in kept)


@pytest.mark.parametrize("budget", [0, 1, 15, 30, 60, 1000])
def test_the_metadata_of_the_prompt_counts(nodes, budget):
    postprocessor = ContextPostprocessor(budget=budget, unit=tokens)
    kept = postprocessor.postprocess_nodes(nodes, query_str=QUERY)
    assert tokens(printed(kept)) <= budget
    assert (len(kept) > 0) == (budget >= 15)


def test_other_modes_of_metadata_cost_more(nodes):
    def num_kept(mode):
        postprocessor = ContextPostprocessor(budget=400, unit=len, metadata_mode=mode)
        return len(postprocessor.postprocess_nodes(nodes, query_str=QUERY))

    assert num_kept(MetadataMode.NONE) >= num_kept(MetadataMode.LLM)
    assert num_kept(MetadataMode.LLM) > num_kept(MetadataMode.ALL)


def test_scores_are_the_relevance_if_all_nodes_have_one():
    nodes = [
        NodeWithScore(node=TextNode(text=text, id_=str(k)), score=float(k == 3))
        for k, (_, _, text) in enumerate(NOTES)
    ]
    postprocessor = ContextPostprocessor(budget=25, unit=tokens)
    assert [each.id_ for each in postprocessor.postprocess_nodes(nodes)] == ["3"]
    nodes[6].score = None
    found = postprocessor.postprocess_nodes(nodes, query_str=QUERY)
    assert [each.id_ for each in found] == ["0"]


def test_an_observer_sees_what_was_dropped_and_why(nodes):
    seen = []
    postprocessor = ContextPostprocessor(budget=1000, observer=seen.append)
    nodes.append(
        NodeWithScore(
            node=ImageNode(image_url="data:,", metadata={"page": 1}), score=0.5
        )
    )
    kept = postprocessor.postprocess_nodes(nodes, query_str=QUERY)
    (context,) = seen
    assert len(kept) + len(context.dropped) == len(nodes)
    reasons = {each.chunk.node_id: each.reason for each in context.dropped}
    assert reasons[nodes[-1].node_id] is DropReason.EMPTY
    assert DropReason.REDUNDANT in reasons.values()


def test_a_source_has_at_most_its_quota(nodes):
    postprocessor = ContextPostprocessor(budget=1000, group="ref_doc_id", per_group=1)
    kept = postprocessor.postprocess_nodes(nodes, query_str=QUERY)
    sources = [each.node.ref_doc_id for each in kept]
    assert len(sources) == len(set(sources)) > 2


def test_neighbors_are_found_by_their_offsets(nodes):
    assert sum(each.node.ref_doc_id == "id-disk.md" for each in nodes) == 2
    postprocessor = ContextPostprocessor(
        budget=80, unit=tokens, window=1, use_scores=False
    )
    kept = postprocessor.postprocess_nodes(nodes[::-1], query_str="disk full releases")
    disk = [each for each in kept if each.node.ref_doc_id == "id-disk.md"]
    assert [each.node.start_char_idx == 0 for each in disk] == [True, False]


def test_no_nodes_are_no_error():
    assert ContextPostprocessor(budget=5).postprocess_nodes([], query_str=QUERY) == []


def test_settings_survive_serialization():
    postprocessor = ContextPostprocessor(budget=50, order="edges", window=1)
    again = ContextPostprocessor.from_json(postprocessor.to_json())
    assert again.to_dict() == postprocessor.to_dict()
    assert again.to_dict()["class_name"] == "ContextPostprocessor"


@pytest.mark.parametrize(
    "options",
    [{}, {"budget": -1}, {"budget": 5, "order": "any"}, {"budget": 5, "windw": 1}],
    ids=str,
)
def test_invalid_options_are_refused_at_once(options):
    with pytest.raises(ValidationError):
        ContextPostprocessor(**options)


@pytest.mark.parametrize("query", ["", "?", "\N{THUMBS UP SIGN}", "???"])
def test_a_query_without_a_word_is_as_none(nodes, query):
    postprocessor = ContextPostprocessor(budget=60, unit=tokens, use_scores=False)
    found = postprocessor.postprocess_nodes(nodes, query_str=query)
    assert found == postprocessor.postprocess_nodes(nodes) != []


@pytest.mark.parametrize("option", ["unit", "group"])
def test_a_function_that_cannot_be_saved_is_an_error(option):
    postprocessor = ContextPostprocessor(budget=5, **{option: len})
    with pytest.raises(InputTypeError, match=f"{option} is <built-in function len>"):
        postprocessor.to_json()
