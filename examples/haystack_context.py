"""Haystack: a pipeline that puts at most 190 tokens of notes into its prompt."""

from pathlib import Path

from haystack import Document, Pipeline
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from thatch.integrations.haystack import ContextSelector

NOTES = Path(__file__).parent / "notes"
QUESTION = "Why did the nightly import fail, and how do I deploy a fix?"
TEMPLATE = "{{ context }}\n\nQuestion: {{ query }}"


def main() -> None:
    store = InMemoryDocumentStore()
    store.write_documents(
        [
            Document(content=path.read_text(), meta={"file_name": path.name})
            for path in sorted(NOTES.iterdir())
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=20))
    pipeline.add_component("selector", ContextSelector(budget=190, use_scores=False))
    pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables="*"))
    pipeline.connect("retriever.documents", "selector.documents")
    pipeline.connect("selector.text", "prompt.context")

    query = {"query": QUESTION}
    found = pipeline.run({"retriever": query, "selector": query, "prompt": query})
    selected = found["selector"]
    for document in selected["documents"]:
        print(f"in   {document.meta['file_name']}")
    for document, reason in zip(selected["dropped"], selected["reasons"], strict=True):
        print(f"out  {document.meta['file_name']:18}  {reason}")
    print(found["prompt"]["prompt"].splitlines()[-1])


if __name__ == "__main__":
    main()
