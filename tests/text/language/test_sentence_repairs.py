import json
from pathlib import Path

import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st

from thatch.text.language.sentences import sentence_spans

TEXTS = json.loads(
    (Path(__file__).parents[2] / "data" / "languages.json").read_text(encoding="utf-8")
)


def sentences(text, language):
    return [text[start:end] for start, end in sentence_spans(text, language=language)]


@for_each("language", TEXTS)
def test_the_declaration_of_human_rights_has_its_sentences(language):
    expected = TEXTS[language]["sentences"]
    space = "" if language in ("zh", "ja") else " "
    assert sentences(space.join(expected), language) == expected


# A bar stands for the end of a sentence.
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It costs 3.5 million.| He paid."),
        ("en", "Use v. 2.0 of the tool.| It works."),
        ("en", "The price rose to 3. 5 percent.| It fell."),
        ("en", "He left in 1990.| 25 people came."),
        ("en", "See Fig. 3 and Eq. 4.| They differ."),
        ("en", "It is approx. 5 km.| It rained."),
        ("en", "If a != b then stop.| Otherwise go."),
        ("en", "Write x? y : z in C.| It works."),
        ("en", "Call foo!() now.| Then bar."),
        ("en", "Use .NET today.| It works."),
        ("en", "Said Rep. Peter King, R-N.Y., who came.| He left."),
        ("en", "1. First item here.| 2. Second item there."),
        ("en", "(a) One thing.| (b) Another thing."),
        ("en", "Q. Why?| A. Because it rained."),
        ("en", "It is on Occt. 16.| All prizes are in Oslo."),
        ("en", "good screen.| it is bright.| i like it."),
        ("de", "Das sind ca. 3,5 Mio. Euro bzw. 4 Mrd. Dollar.| Gut."),
        ("de", "z. B. Dr. Müller, d. h. der Arzt, u. a. auch er.| Gut."),
        ("de", "Die Fa. Müller und Frau Dipl.-Ing. Meier.| Gut."),
        ("de", "Im 19. Jahrhundert war Ludwig XIV. König.| Gut."),
        ("de", "Der 1. FC Köln spielt.| Der 2. Platz."),
        ("fr", "M. Dupont et le Dr. Hu ont env. 3,5 km.| Bon."),
        ("fr", "Voir p. 5, art. 3, etc.| Il part."),
        ("fr", "La S.N.C.F. roule.| Bon."),
        ("es", "El Sr. García y la Dra. Gil viven en EE. UU. desde 1990.| Bien."),
        ("it", "Il sig. Rossi e l’ing. Hu, art. 3, pag. 5, ecc. e basta.| Bene."),
        ("it", "Sono circa 3,5 mln. di euro.| Bene."),
        ("pt", "O Sr. Silva mora na Av. Paulista, n. 5, séc. XIX, aqui.| Bem."),
        ("nl", "Dhr. Jansen en mevr. de Vries, d.w.z. bijv. dr. Hu.| Goed."),
        ("sv", "Det är t.ex. bra, dvs. bl.a. det, kl. 5.| Bra."),
        ("en", "It makes subprocess.Popen and http.Server faster.| It is good."),
        ("en", "It raises hypothesis.errors.InvalidArgument there.| Good."),
        ("en", "We left.|The road was long."),
        ("en", "Thanks for having me.| I'm glad to talk.| I have to... | I think so."),
        ("en", "A vowel, i.e. I think an a, was heard.| Good."),
        ("de", "Das Modul subprocess.Popen ist schnell.| Gut."),
        ("da", "Den 3. maj kom hr. Hansen.| Godt."),
        ("no", "Den 3. mai kom han, dvs. i dag.| Bra."),
        ("fi", "Hän tuli 3. toukokuuta.| Hyvä."),
        ("pl", "Prof. Kowalski i gen. Nowak, ul. Długa 5, np. tam.| Dobrze."),
        ("pl", "W 1990 r. wyjechał, tj. ok. 3,5 mln. zł itd.| Dobrze."),
        ("cs", "Dne 3. května přišel, tj. např. dr. Novák.| Dobře."),
        ("ru", "А. С. Пушкин и проф. Ли, т. е. он, см. рис. 3.| Хорошо."),
        ("ru", "Это 5 тыс. чел. и т. д.| Хорошо."),
        ("tr", "Prof. Dr. Ali ve Sn. Ayşe, Cad. No. 5, vb. geldi.| İyi."),
        ("tr", "M.Ö. 5. yüzyılda oldu.| İyi."),
        ("vi", "TP. HCM là thành phố lớn.| Nó đẹp."),
        ("vi", "PGS. TS. Lê, ThS. Hà và BS. An đến TP. Hồ Chí Minh.| Tốt."),
        ("vi", "Giá là 3. 000 đồng.| Tốt."),
        ("vi", "Máy rất mỏng như đồn.| iPhone 6 cũng thế."),
        ("id", "Dr. Hu dan Prof. Li, Jl. Sudirman No. 5.| Baik."),
        ("hi", "डॉ. शर्मा आए।| वे गए।"),
        ("ar", "د. أحمد هنا.| هو ذهب."),
        ("ja", "「行きます。」と言った。|彼は去った。"),
        ("ja", "彼は「はい。」と答えた！|次へ。"),
        ("ja", "『本。』という。|はい。"),
        ("zh", "“为什么？”他问。|我走了。"),
        ("zh", "价格是3.5元。|好。"),
        ("zh", "我们用 subprocess.|然后离开了。"),
        ("km", "នេះគឺជាផ្ទះ។| នោះគឺជាសាលា។| តើអ្នកណា?"),
        ("my", "ဤသည်မှာ၊ အိမ်ဖြစ်၏။| ထို၊ ဤ။"),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(language, text):
    expected = [sentence.strip() for sentence in text.split("|")]
    assert sentences(text.replace("|", ""), language) == expected


def test_thai_sentences_end_at_spaces_but_not_at_every_space():
    one, two = "ก" * 45, "ข" * 45
    assert sentences(f"{one} {two}", "th") == [one, two]
    for joined in (f"{one} และ{two}", f"{one} 5 {two}", f"({one} {two})", f"ก {two}"):
        assert sentences(joined, "th") == [joined]


def test_only_long_lao_text_is_split_at_spaces():
    part = "ກ" * 45
    assert len(sentences(" ".join([part] * 6), "lo")) == 1
    assert len(sentences(" ".join([part] * 7), "lo")) == 7


@given(
    st.text(alphabet="Aa1.!?:)(-,「」。と។၊ก \n", max_size=40),
    st.sampled_from(["en", "de", "fr", "ja", "zh", "km", "my", "th", "lo", "vi"]),
)
def test_repairs_lose_no_character(text, language):
    assert "".join("".join(sentences(text, language)).split()) == "".join(text.split())
