"""LangChain: a chain that puts at most 190 tokens of notes into its prompt."""

from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from thatch.integrations.langchain import ContextSelector

NOTES = Path(__file__).parent / "notes"
QUESTION = "Why did the nightly import fail, and how do I deploy a fix?"


def main() -> None:
    # Your own embeddings and model take the place of these, which are offline.
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=32))
    store.add_documents(
        [
            Document(path.read_text(), id=path.stem, metadata={"source": path.name})
            for path in sorted(NOTES.iterdir())
        ]
    )
    retriever = store.as_retriever(search_kwargs={"k": 20})
    model = FakeListChatModel(responses=["The disk was full: deploy a new release."])
    prompt = ChatPromptTemplate.from_template("{context}\n\nQuestion: {query}")

    # With a chat model: unit=model.get_num_tokens.
    selector = ContextSelector(budget=190, output="context")
    retrieve = {"query": RunnablePassthrough(), "documents": retriever}
    select = retrieve | RunnablePassthrough.assign(context=selector)
    answer = RunnablePassthrough.assign(context=lambda x: x["context"].text) | prompt

    found = select.invoke(QUESTION)
    context = found["context"]
    for each in context.chunks:
        print(f"in   {each.source:18}  {each.tokens:3.0f} tokens")
    for each in context.dropped:
        print(f"out  {each.chunk.metadata['source']:18}  {each.reason.value}")
    print(f"{context.tokens:.0f} of {context.budget:.0f} tokens")
    print((answer | model).invoke(found).text)


if __name__ == "__main__":
    main()
