"""LlamaIndex: a query engine that reads at most 190 tokens of notes."""

from pathlib import Path

from llama_index.core import MockEmbedding, VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode

from thatch.context import Context
from thatch.integrations.llama_index import ContextPostprocessor

NOTES = Path(__file__).parent / "notes"
QUESTION = "Why did the nightly import fail, and how do I deploy a fix?"


def show(context: Context) -> None:
    for each in context.dropped:
        print(f"out  {each.chunk.metadata['file_name']:18}  {each.reason.value}")
    print(f"{context.tokens:.0f} of {context.budget:.0f} tokens")


def main() -> None:
    nodes = [
        TextNode(
            text=path.read_text(), id_=path.stem, metadata={"file_name": path.name}
        )
        for path in sorted(NOTES.iterdir())
    ]
    # Your own embeddings and model take the place of these, which are offline.
    index = VectorStoreIndex(nodes, embed_model=MockEmbedding(embed_dim=8))
    # These scores mean nothing. After a reranker, leave out use_scores.
    postprocessor = ContextPostprocessor(budget=190, use_scores=False, observer=show)
    engine = index.as_query_engine(
        llm=MockLLM(), similarity_top_k=20, node_postprocessors=[postprocessor]
    )
    for each in engine.query(QUESTION).source_nodes:
        print(f"in   {each.metadata['file_name']:18}  score {each.score:.2f}")


if __name__ == "__main__":
    main()
