import asyncio

import pytest
from ferry_notes import NOTES, QUERY, tokens
from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.preprocessors import DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.core.errors import SerializationError
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thatch import InputError
from thatch.errors import InputTypeError
from thatch.integrations.haystack import ContextSelector

TEMPLATE = "{{ context }}\n\nQuestion: {{ query }}"


@pytest.fixture
def documents():
    return [
        Document(content=text, id=f"note-{k}", meta={"source": source, "start": start})
        for k, (source, start, text) in enumerate(NOTES)
    ]


@pytest.fixture
def pipeline_with(documents):
    def pipeline(selector):
        store = InMemoryDocumentStore()
        store.write_documents(documents)
        made = Pipeline()
        made.add_component("retriever", InMemoryBM25Retriever(store, top_k=10))
        made.add_component("selector", selector)
        made.add_component(
            "prompt", PromptBuilder(TEMPLATE, required_variables=["context", "query"])
        )
        made.connect("retriever.documents", "selector.documents")
        made.connect("selector.text", "prompt.context")
        return made

    return pipeline


def inputs(query=QUERY, **options):
    return {
        "retriever": {"query": query},
        "selector": {"query": query, **options},
        "prompt": {"query": query},
    }


def test_a_pipeline_prints_within_the_budget(pipeline_with):
    pipeline = pipeline_with(ContextSelector(budget=40, unit=tokens))
    found = pipeline.run(inputs())
    context, _, _ = found["prompt"]["prompt"].partition("\n\nQuestion:")
    assert 0 < tokens(context) <= 40
    assert "disk was full" in context
    assert found["selector"]["documents"]
    assert asyncio.run(pipeline.run_async(inputs())) == found


def test_the_budget_can_be_passed_to_a_run(pipeline_with):
    pipeline = pipeline_with(ContextSelector(budget=500, unit=tokens))
    found = pipeline.run(inputs(budget=20))
    context, _, _ = found["prompt"]["prompt"].partition("\n\nQuestion:")
    assert 0 < tokens(context) <= 20


def test_documents_are_the_callers_own_and_unchanged(documents):
    before = [document.to_dict() for document in documents]
    found = ContextSelector(budget=40, unit=tokens).run(documents, query=QUERY)
    every = [*found["documents"], *found["dropped"]]
    assert sorted(map(id, every)) == sorted(map(id, documents))
    assert [document.to_dict() for document in documents] == before


def test_what_is_dropped_has_a_reason(documents):
    documents.append(Document(id="image", content=None))
    found = ContextSelector(budget=500).run(documents, query=QUERY)
    reasons = {
        document.id: reason
        for document, reason in zip(found["dropped"], found["reasons"], strict=True)
    }
    assert reasons["image"] == "contains no text"
    assert reasons["note-5"] == "repeats chunk 0"


def test_scores_are_the_relevance_if_all_documents_have_one(documents):
    for k, document in enumerate(documents):
        object.__setattr__(document, "score", float(k == 3))
    selector = ContextSelector(budget=25, unit=tokens)
    found = selector.run(documents, query=QUERY)["documents"]
    assert [each.id for each in found] == ["note-3"]
    own = ContextSelector(budget=25, unit=tokens, use_scores=False)
    assert own.run(documents, query=QUERY)["documents"][0].id == "note-0"


def test_a_source_has_at_most_its_quota(documents):
    selector = ContextSelector(budget=500, group="source", per_group=1)
    found = selector.run(documents, query=QUERY)["documents"]
    sources = [each.meta["source"] for each in found]
    assert len(sources) == len(set(sources)) >= 2


def test_neighbors_of_a_splitter_accompany_a_chunk():
    text = " ".join(text for _, _, text in NOTES)
    splitter = DocumentSplitter(split_by="word", split_length=11, split_overlap=0)
    split = splitter.run([Document(content=text)])["documents"]
    selector = ContextSelector(budget=50, unit=tokens, window=1)
    found = selector.run(split[::-1], query="clocks local time")["documents"]
    places = [each.meta["split_id"] for each in found]
    assert len(places) > 2
    assert places == list(range(places[0], places[0] + len(places)))


def test_a_saved_pipeline_can_be_loaded(pipeline_with):
    selector = ContextSelector(
        budget=40, unit=tokens, group="source", per_group=1, order="edges", format="xml"
    )
    pipeline = pipeline_with(selector)
    modules = ["thatch.*", "ferry_notes"]
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=modules)
    assert again.dumps() == pipeline.dumps()
    assert again.get_component("selector").to_dict() == selector.to_dict()
    assert "ferry_notes.tokens" in pipeline.dumps()


def test_a_unit_that_cannot_be_saved_is_an_error():
    class Tokenizer:
        def encode(self, text):
            return text.split()

    with pytest.raises(InputTypeError, match="unit"):
        ContextSelector(budget=5, unit=Tokenizer()).to_dict()
    with pytest.raises(SerializationError):
        ContextSelector(budget=5, unit=lambda text: text.split()).to_dict()


def test_no_documents_are_no_error():
    selector = ContextSelector(budget=5, group="source", per_group=1)
    assert selector.run([], query=QUERY) == {
        "documents": [],
        "text": "",
        "dropped": [],
        "reasons": [],
    }


@pytest.mark.parametrize(
    "options",
    [{"budget": -1}, {"budget": 5, "order": "any"}, {"budget": 5, "format": "pdf"}],
    ids=str,
)
def test_invalid_options_are_refused_at_once(options):
    with pytest.raises(InputError):
        ContextSelector(**options)


def test_what_was_dropped_is_logged(documents, caplog):
    caplog.set_level("DEBUG", logger="thatch.integrations")
    ContextSelector(budget=500).run(documents, query=QUERY)
    assert "dropped chunk 5: repeats chunk 0" in caplog.text


@pytest.mark.parametrize("query", ["", "?", "\N{THUMBS UP SIGN}", "???"])
def test_a_query_without_a_word_is_as_none(documents, query):
    selector = ContextSelector(budget=40, unit=tokens)
    found = selector.run(documents, query=query)
    assert found == selector.run(documents)
    assert found["documents"]
    assert asyncio.run(selector.run_async(documents, query=query)) == found


def test_a_saved_unit_of_null_is_an_error_that_names_it():
    saved = ContextSelector(budget=5).to_dict()
    saved["init_parameters"]["unit"] = None
    with pytest.raises(InputError, match="unit is None"):
        ContextSelector.from_dict(saved)
