"""Lists as cards: the list below the comment ``<!-- cards -->`` becomes a grid.

On GitHub it stays a list, with the pictures and links of the cards.
"""

from __future__ import annotations

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.transforms import SphinxTransform

_COMMENT = re.compile(r"<!-- cards(?: (?P<kind>[\w-]+))? -->")


class Cards(SphinxTransform):
    """Give each list below a comment its class, and remove the comment."""

    default_priority = 300

    def apply(self, **kwargs: object) -> None:
        """Change the page that was read."""
        for raw in list(self.document.findall(nodes.raw)):
            found = _COMMENT.fullmatch(raw.astext().strip())
            if found is None:
                continue
            follower = raw.next_node(descend=False, siblings=True)
            if not isinstance(follower, nodes.bullet_list):
                raise SphinxError(f"{self.env.docname}: cards must be a list")
            follower["classes"] += ["cards", *filter(None, [found["kind"]])]
            raw.parent.remove(raw)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the transform."""
    app.add_transform(Cards)
    return {"parallel_read_safe": True}
