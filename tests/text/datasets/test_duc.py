"""Clusters in folders: NIST's layout, with stories invented here."""

import pytest

from thatch.errors import FileFormatError, InputError
from thatch.text.datasets.clusters import read_clusters

APW = """<DOC>
<DOCNO> APW20010101.0001 </DOCNO>
<DOCTYPE> NEWS STORY </DOCTYPE>
<DATE_TIME> 2001-01-01 05:36:00 </DATE_TIME>
<HEADER>
w1294 &Cx1f; wstm-
r f &Cx13;  &Cx11;  BC-Harbour     01-01 0124
</HEADER>
<BODY>
<SLUG> BC-Harbour </SLUG>
<HEADLINE>
Harbour freezes
</HEADLINE>
<TEXT>
\t   NORTH HAVEN, Borduria (AP) _ The harbour of North Haven froze
on Monday, the port said.
\t   Smith &AMP; Sons, who run the ferry, called it ``a pity.''\t
</TEXT>
(PROFILE
(LANG:ENGLISH;))
</BODY>
<TRAILER>
AP-NY-01-01-01 0536EST
</TRAILER>
</DOC>
"""
NYT = """<DOC>
<DOCNO> NYT20010102.0002 </DOCNO>
<BODY>
<HEADLINE> ICE </HEADLINE>
<TEXT>
<P>
   &UR; By A. WRITER &LR;  &QL;
</P>
<P>
   NORTH HAVEN, Borduria _ People walked over the ice
to the island.
</P>
<P>
   It was 3 &lt; 4 feet thick &#38; held.
</P>
<ANNOTATION>
(STORY CAN END HERE)
</ANNOTATION>
</TEXT>
</BODY>
</DOC>
"""
XIE = """<doc>
<docno> XIE20010103.0003 </docno>
<text>
<p>
North Haven, January 3 (Xinhua) -- The ferry runs again.
</p>
</text>
</doc>
"""
SENTENCES = """<DOC>
<DOCNO>APW20010104.0004</DOCNO>
<TEXT>
<s docid="APW20010104.0004" num="1" wdcount="4"> The ice is gone.</s>
<s docid="APW20010104.0004" num="2" wdcount="3"> Fish is cheap.</s>
</TEXT>
</DOC>
"""
HTML_MODEL = """<html>
<head>
<title>D30001.M.100.T.B</title>
</head>
<body bgcolor="white">
<a name="1">[1]</a> <a href="#1" id=1>The harbour froze &amp; thawed.</a>
<a name="2">[2]</a> <a href="#2" id=2>Fish got cheap.</a>
</body>
</html>
"""


def fill(root, files):
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@pytest.fixture
def duc2004(tmp_path):
    docs = "testdata/tasks1and2/duc2004_tasks1and2_docs/docs"
    models = "duc2004_results/ROUGE/eval/models"
    return fill(
        tmp_path,
        {
            f"{docs}/d30001t/NYT20010102.0002": NYT,
            f"{docs}/d30001t/APW20010101.0001": APW,
            f"{docs}/d30002t/XIE20010103.0003": XIE,
            "testdata/tasks3and4/docs/d30001t/AFA20010101.0001": XIE,
            "testdata/task5/docs/d100a/APW20010101.0001": APW,
            "testdata/README.txt": "About the data.",
            f"{models}/1/D30001.P.10.T.A.APW20010101.0001": "Wrong: one document.",
            f"{models}/2/D30001.M.100.T.B.html": HTML_MODEL,
            f"{models}/2/D30001.M.100.T.A": "The harbour froze.\n",
            f"{models}/2/D30001.M.200.T.C": "Wrong: another length.",
            f"{models}/4/D30001.M.100.T.D": "Wrong: another task.",
            "duc2004_results/ROUGE/eval/peers/2/D30001.M.100.T.E": "Wrong: a peer.",
        },
    )


def test_the_second_task_of_duc2004_is_read(duc2004):
    first, second = read_clusters(duc2004)
    assert (first.name, second.name) == ("d30001t", "d30002t")
    assert [document.name for document in first.documents] == [
        "APW20010101.0001",
        "NYT20010102.0002",
    ]
    assert first.references == (
        "The harbour froze.",
        "The harbour froze & thawed.\nFish got cheap.",
    )
    assert second.references == ()


def test_duc2003_is_read(tmp_path):
    models = "results/detagged.duc2003.abstracts/models"
    fill(
        tmp_path,
        {
            "duc2003_testdata/task1/docs/d30003.t/APW20010101.0001": APW,
            "duc2003_testdata/task2/docs/d30003.t/XIE20010103.0003": XIE,
            "duc2003_testdata/task2/docs.with.sentence.breaks/d30003t/X.S": SENTENCES,
            f"{models}/D30003.M.100.T.A": "The ferry runs.",
            f"{models}/D30003.P.10.T.A.XIE20010103.0003": "Wrong.",
        },
    )
    (cluster,) = read_clusters(tmp_path)
    assert [document.text for document in cluster.documents] == [
        "The ferry runs again."
    ]
    assert cluster.references == ("The ferry runs.",)


def test_documents_and_models_may_be_in_different_folders(duc2004):
    documents = duc2004 / "testdata" / "tasks1and2"
    models = duc2004 / "duc2004_results" / "ROUGE" / "eval" / "models" / "4"
    assert read_clusters(documents, models)[0].references == ("Wrong: another task.",)


def test_a_story_is_its_text_without_dateline_and_signs(duc2004):
    apw, nyt = read_clusters(duc2004)[0].documents
    assert apw.text == (
        "The harbour of North Haven froze on Monday, the port said.\n\n"
        "Smith & Sons, who run the ferry, called it ``a pity.''"
    )
    assert nyt.text == (
        "By A. WRITER\n\nPeople walked over the ice to the island.\n\n"
        "It was 3 < 4 feet thick & held."
    )
    assert [len(document.blocks) for document in (apw, nyt)] == [2, 3]


def test_sentences_that_are_separate_remain_so(tmp_path):
    fill(tmp_path, {"d1t/a": SENTENCES})
    (document,) = read_clusters(tmp_path)[0].documents
    held = [document.text[block.start : block.end] for block in document.blocks]
    assert held == ["The ice is gone.", "Fish is cheap."]


def test_a_file_may_contain_several_stories_and_latin_1(tmp_path):
    fill(tmp_path, {"d1t/a": (XIE + XIE.replace("ferry", "fährte")).encode("latin-1")})
    (cluster,) = read_clusters(tmp_path)
    texts = [document.text for document in cluster.documents]
    assert texts == ["The ferry runs again.", "The fährte runs again."]


def test_a_dateline_is_stripped_once_and_only_at_the_start(tmp_path):
    story = (
        "<DOC><TEXT>OSLO (AP) -- BERN (AP) -- Both. <P>PARIS _ Not.</P></TEXT></DOC>"
    )
    fill(tmp_path, {"d1t/a": story})
    (document,) = read_clusters(tmp_path)[0].documents
    assert document.text == "BERN (AP) -- Both.\n\nPARIS _ Not."


def test_folders_of_plain_text_are_clusters(tmp_path):
    fill(
        tmp_path,
        {
            "2/D10.txt": "OSLO (AP) _ Ten.",
            "2/D9.txt": "Nine.",
            "10/a.md": "# Title",
            "notes.txt": "No cluster.",
            "reference/Task2_reference1.txt": "Nine and ten.",
        },
    )
    second, tenth = read_clusters(tmp_path)
    assert [document.text for document in second.documents] == [
        "Nine.",
        "OSLO (AP) _ Ten.",
    ]
    assert second.references == ("Nine and ten.",)
    assert tenth.documents[0].blocks[0].start == 2


@pytest.mark.parametrize(
    "name",
    ["references/storm.1.txt", "references/storm.txt", "storm/references/any.txt"],
)
def test_references_are_in_or_next_to_a_cluster(tmp_path, name):
    fill(tmp_path, {"storm/a.txt": "It rained.", "sun/b.txt": "Sun.", name: "Rain."})
    storm, sun = read_clusters(tmp_path)
    assert storm.references == ("Rain.",)
    assert sun.references == ()


def test_numbered_clusters_have_the_models_of_thirty_thousand_more(tmp_path):
    fill(
        tmp_path,
        {
            "docs/1/D1.txt": "One.",
            "docs/1002/D1.txt": "Two.",
            "docs/30001/D1.txt": "Three.",
            "gold/d30001.m.100.t.a.txt": "Model one.",
            "gold/d31002.m.100.t.b.html": HTML_MODEL,
        },
    )
    clusters = read_clusters(tmp_path / "docs", tmp_path / "gold")
    assert [len(cluster.references) for cluster in clusters] == [1, 1, 1]


def test_a_folder_of_one_cluster_is_read(tmp_path):
    fill(tmp_path, {"d30001t/XIE20010103.0003": XIE})
    (cluster,) = read_clusters(tmp_path / "d30001t")
    assert cluster.name == "d30001t"


def test_a_model_may_exist_as_text_and_as_html(tmp_path):
    model = {"models/D1.M.100.T.A.html": HTML_MODEL}
    text = {
        "models-txt/D1.M.100.T.A.txt": "The harbour froze & thawed. Fish got cheap."
    }
    fill(tmp_path, {"d1t/a": XIE, **model, **text})
    assert len(read_clusters(tmp_path)[0].references) == 1


def test_two_texts_of_one_model_are_refused(tmp_path):
    model = {"models/D1.M.100.T.A": "One.", "models-txt/D1.M.100.T.A": "Two."}
    fill(tmp_path, {"d1t/a": XIE, **model})
    with pytest.raises(InputError, match=r"D1\.M\.100\.T\.A"):
        read_clusters(tmp_path)


def test_two_folders_of_one_cluster_are_refused(tmp_path):
    fill(tmp_path, {"bestonly/d1t/a": XIE, "variants/d1t/a": XIE})
    with pytest.raises(InputError, match=r"d1t .*bestonly/d1t.*variants/d1t"):
        read_clusters(tmp_path)


@pytest.mark.parametrize("files", [{}, {"a.pdf": "x"}, {"models/D1.M.100.T.A": "One."}])
def test_a_folder_without_clusters_is_named(tmp_path, files):
    fill(tmp_path, files)
    with pytest.raises(InputError, match=tmp_path.name):
        read_clusters(tmp_path)


def test_a_folder_of_references_must_contain_some(tmp_path):
    fill(tmp_path, {"docs/d1t/a": XIE, "gold/d2.m.100.t.a": "Two."})
    with pytest.raises(InputError, match=r"references .*gold .*d1t"):
        read_clusters(tmp_path / "docs", tmp_path / "gold")
    with pytest.raises(InputError, match="none"):
        read_clusters(tmp_path / "docs", tmp_path / "none")


def test_a_story_without_text_is_refused(tmp_path):
    fill(tmp_path, {"d1t/a": "<DOC><DOCNO>a</DOCNO></DOC>"})
    with pytest.raises(FileFormatError, match="<TEXT>") as caught:
        read_clusters(tmp_path)
    assert caught.value.path == tmp_path / "d1t" / "a"


@pytest.mark.parametrize(
    "content", [b"<DOC>\0", b"<DOC><TEXT>&#55296;&#9999999;&#x;&;"]
)
def test_odd_bytes_are_read_or_refused(tmp_path, content):
    fill(tmp_path, {"d1t/a": content})
    try:
        assert read_clusters(tmp_path)[0].documents
    except FileFormatError as error:
        assert "NUL" in error.message


def test_a_cluster_may_be_called_after_a_task(tmp_path):
    fill(tmp_path, {"task1/a.txt": "One.", "task2/a.txt": "Two."})
    assert [cluster.name for cluster in read_clusters(tmp_path)] == ["task1", "task2"]
