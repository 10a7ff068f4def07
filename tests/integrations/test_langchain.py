import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from ferry_notes import NOTES, QUERY, tokens
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import ConfigurableField, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from pydantic import ValidationError

from thatch import InputError
from thatch.context import Context, DropReason, select
from thatch.errors import InputTypeError
from thatch.integrations.langchain import ContextCompressor, ContextSelector


@pytest.fixture
def documents():
    return [
        Document(
            text, id=f"note-{k}", metadata={"source": source, "start_index": start}
        )
        for k, (source, start, text) in enumerate(NOTES)
    ]


@pytest.fixture
def retriever(documents):
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=16))
    store.add_documents(documents)
    return store.as_retriever(search_kwargs={"k": len(documents)})


class CompressingRetriever(BaseRetriever):
    """What LangChain's ContextualCompressionRetriever does, in one package more."""

    compressor: BaseDocumentCompressor
    retriever: BaseRetriever

    def _get_relevant_documents(self, query, *, run_manager):
        found = self.retriever.invoke(query, {"callbacks": run_manager.get_child()})
        return list(self.compressor.compress_documents(found, query))

    async def _aget_relevant_documents(self, query, *, run_manager):
        found = await self.retriever.ainvoke(
            query, {"callbacks": run_manager.get_child()}
        )
        return list(await self.compressor.acompress_documents(found, query))


def test_a_retriever_with_a_compressor_is_within_the_budget(retriever):
    compressor = ContextCompressor(budget=40, unit=tokens)
    compressing = CompressingRetriever(compressor=compressor, retriever=retriever)
    found = compressing.invoke(QUERY)
    assert 0 < tokens("\n\n".join(each.page_content for each in found)) <= 40
    assert "disk was full" in "".join(each.page_content for each in found)
    assert asyncio.run(compressing.ainvoke(QUERY)) == found


def test_documents_are_the_callers_own_and_unchanged(documents):
    before = [document.model_dump() for document in documents]
    kept = ContextCompressor(budget=60, unit=tokens).compress_documents(
        documents, QUERY
    )
    assert all(any(one is other for other in documents) for one in kept)
    assert [document.model_dump() for document in documents] == before


def test_the_relevance_is_written_to_copies(documents):
    before = [document.model_dump() for document in documents]
    compressor = ContextCompressor(budget=60, relevance_field="relevance")
    kept = compressor.compress_documents(documents, QUERY)
    assert max(each.metadata["relevance"] for each in kept) == 1.0
    assert {each.id for each in kept} <= {each.id for each in documents}
    assert all(each.metadata["source"] for each in kept)
    assert [document.model_dump() for document in documents] == before


def test_an_observer_sees_what_was_dropped_and_why(documents):
    seen = []
    compressor = ContextCompressor(budget=500, observer=seen.append)
    kept = compressor.compress_documents(documents, QUERY)
    (context,) = seen
    assert len(kept) + len(context.dropped) == len(documents)
    redundant = [
        each for each in context.dropped if each.reason is DropReason.REDUNDANT
    ]
    assert [each.chunk.id for each in redundant] == ["note-5"]


def test_scores_of_a_reranker_decide(documents):
    for k, document in enumerate(documents):
        document.metadata["relevance_score"] = float(k == 3)
    compressor = ContextCompressor(
        budget=25, unit=tokens, score_field="relevance_score"
    )
    kept = compressor.compress_documents(documents, QUERY)
    assert [each.id for each in kept] == ["note-3"]


def test_a_missing_score_is_an_error(documents):
    documents[0].metadata["relevance_score"] = 1.0
    compressor = ContextCompressor(budget=25, score_field="relevance_score")
    with pytest.raises(InputError, match=r"documents\[1\]"):
        compressor.compress_documents(documents, QUERY)


def test_a_source_has_at_most_its_quota(documents):
    compressor = ContextCompressor(budget=500, group="source", per_group=1)
    kept = compressor.compress_documents(documents, QUERY)
    sources = [each.metadata["source"] for each in kept]
    assert len(sources) == len(set(sources)) >= 2


def test_no_documents_are_no_error():
    compressor = ContextCompressor(budget=9, group="source", per_group=1)
    assert compressor.compress_documents([], QUERY) == []


def test_neighbors_by_start_index_accompany_a_chunk(documents):
    compressor = ContextCompressor(budget=60, unit=tokens, window=1)
    kept = [
        each.id for each in compressor.compress_documents(documents[::-1], "disk full")
    ]
    assert kept[kept.index("note-0") + 1] == "note-1"


@pytest.mark.parametrize(
    "options",
    [
        {"budget": -1},
        {"budget": 5, "unit": "tonnes"},
        {"budget": 5, "order": "random"},
        {"budget": 5, "per_group": 2},
        {"budget": 5, "windw": 2},
        {},
    ],
    ids=str,
)
@pytest.mark.parametrize("adapter", [ContextCompressor, ContextSelector])
def test_invalid_options_are_refused_at_once(adapter, options):
    with pytest.raises(ValidationError):
        adapter(**options)


def chain_with(selector, retriever):
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {query}")
    model = FakeListChatModel(responses=["The disk was full."])
    return (
        {"query": RunnablePassthrough(), "documents": retriever}
        | RunnablePassthrough.assign(context=selector)
        | {"prompt": prompt, "answer": prompt | model | StrOutputParser()}
    )


def test_a_chain_prints_the_selected_text_into_its_prompt(retriever):
    chain = chain_with(ContextSelector(budget=40, unit=tokens), retriever)
    found = chain.invoke(QUERY)
    context, _, _ = found["prompt"].to_messages()[0].content.partition("\n\nQuestion:")
    assert 0 < tokens(context) <= 40
    assert found["answer"] == "The disk was full."
    assert asyncio.run(chain.ainvoke(QUERY)) == found


def test_outputs_agree(documents):
    given = {"query": QUERY, "documents": documents}
    context = ContextSelector(budget=40, output="context").invoke(given)
    assert isinstance(context, Context)
    assert ContextSelector(budget=40).invoke(given) == context.text
    selector = ContextSelector(budget=40, output="documents")
    assert selector.invoke(given) == context.objects
    assert selector.get_output_jsonschema()["type"] == "array"


def test_a_batch_equals_single_calls(documents):
    selector = ContextSelector(budget=40, unit=tokens)
    inputs = [
        {"query": query, "documents": documents}
        for query in (QUERY, "Which piers are there?", "How do we deploy?")
    ]
    expected = [selector.invoke(each) for each in inputs]
    assert len(set(expected)) == 3
    assert selector.batch(inputs) == expected
    assert asyncio.run(selector.abatch(inputs)) == expected


def test_the_format_and_the_keys_of_the_input_can_be_chosen(documents):
    selector = ContextSelector(
        budget=60, format="xml", query_key="question", documents_key="context"
    )
    text = selector.invoke({"question": QUERY, "context": documents})
    assert text.startswith('<documents>\n<document source="disk.md">')
    with pytest.raises(InputError, match="'question'"):
        selector.invoke({"query": QUERY, "context": documents})


def test_the_budget_can_be_configured_per_call(documents):
    selector = ContextSelector(budget=500, unit=tokens).configurable_fields(
        budget=ConfigurableField(id="budget")
    )
    given = {"query": QUERY, "documents": documents}
    text = selector.invoke(given, {"configurable": {"budget": 20}})
    assert 0 < tokens(text) <= 20 < tokens(selector.invoke(given))


def test_documents_are_measured_as_the_prompt_prints_them(documents):
    def printed(document):
        return f"Source: {document.metadata['source']}\n{document.page_content}"

    compressor = ContextCompressor(budget=45, unit=tokens, printed=printed)
    kept = compressor.compress_documents(documents, QUERY)
    assert 0 < tokens("\n\n".join(map(printed, kept))) <= 45


def test_threads_can_share_a_compressor(documents):
    compressor = ContextCompressor(budget=40, unit=tokens)
    queries = [QUERY, "Which piers are there?"] * 10

    def answer(query):
        return [each.id for each in compressor.compress_documents(documents, query)]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(answer, queries))
    assert found == [answer(query) for query in queries]


@pytest.mark.parametrize("query", ["", "?", "\N{THUMBS UP SIGN}", "???"])
def test_a_query_without_a_word_is_as_none(documents, query):
    context = select(documents, 40, unit=tokens)
    compressor = ContextCompressor(budget=40, unit=tokens)
    assert compressor.compress_documents(documents, query) == context.objects
    found = asyncio.run(compressor.acompress_documents(documents, query))
    assert found == context.objects != []
    selector = ContextSelector(budget=40, unit=tokens)
    assert selector.invoke({"query": query, "documents": documents}) == context.text


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("snow", "'snow'"),
        (None, "None"),
        ({"query": "snow", "documents": None}, "documents is None"),
        ({"query": "snow", "documents": "Snow fell."}, "documents is 'Snow fell.'"),
        ({"query": 5, "documents": []}, "query is 5"),
    ],
    ids=str,
)
def test_an_input_of_another_kind_is_named(given, words):
    with pytest.raises(InputTypeError, match=words):
        ContextSelector(budget=5).invoke(given)
