"""Languages: their codes and English names, as options accept them."""

from __future__ import annotations

from difflib import get_close_matches

from thatch.errors import InputError

# Written as one text, because a table would take one line per language.
_CODES_AND_NAMES = """
aa afar, ab abkhazian, ae avestan, af afrikaans, ak akan, am amharic, an aragonese,
ar arabic, as assamese, ast asturian, av avaric, ay aymara, az azerbaijani, ba bashkir,
be belarusian, bg bulgarian, bi bislama, bm bambara, bn bengali, bo tibetan, br breton,
bs bosnian, ca catalan, ce chechen, ceb cebuano, ch chamorro, co corsican, cr cree,
cs czech, cu church slavic, cv chuvash, cy welsh, da danish, de german, dv divehi,
dz dzongkha, ee ewe, el greek, en english, eo esperanto, es spanish, et estonian,
eu basque, fa persian, ff fulah, fi finnish, fil filipino, fj fijian, fo faroese,
fr french, fy frisian, ga irish, gd scottish gaelic, gl galician, gn guarani,
gsw swiss german, gu gujarati, gv manx, ha hausa, haw hawaiian, he hebrew, hi hindi,
ho hiri motu, hr croatian, hsb upper sorbian, ht haitian, hu hungarian, hy armenian,
hz herero, ia interlingua, id indonesian, ie interlingue, ig igbo, ii sichuan yi,
ik inupiaq, io ido, is icelandic, it italian, iu inuktitut, ja japanese, jv javanese,
ka georgian, kg kongo, ki kikuyu, kj kuanyama, kk kazakh, kl greenlandic, km khmer,
kn kannada, ko korean, kr kanuri, ks kashmiri, ku kurdish, kv komi, kw cornish,
ky kyrgyz, la latin, lb luxembourgish, lg ganda, li limburgish, ln lingala, lo lao,
lt lithuanian, lu luba-katanga, lv latvian, mg malagasy, mh marshallese, mi maori,
mk macedonian, ml malayalam, mn mongolian, mr marathi, ms malay, mt maltese, my burmese,
na nauru, nb norwegian bokmal, nd north ndebele, ne nepali, ng ndonga, nl dutch,
nn norwegian nynorsk, no norwegian, nr south ndebele, nv navajo, ny chichewa,
oc occitan, oj ojibwa, om oromo, or oriya, os ossetian, pa punjabi, pi pali, pl polish,
ps pashto, pt portuguese, qu quechua, rm romansh, rn rundi, ro romanian, ru russian,
rw kinyarwanda, sa sanskrit, sc sardinian, sd sindhi, se northern sami, sg sango,
si sinhala, sk slovak, sl slovenian, sm samoan, sn shona, so somali, sq albanian,
sr serbian, ss swati, st sesotho, su sundanese, sv swedish, sw swahili, ta tamil,
te telugu, tg tajik, th thai, ti tigrinya, tk turkmen, tl tagalog, tn tswana, to tonga,
tr turkish, ts tsonga, tt tatar, tw twi, ty tahitian, ug uyghur, uk ukrainian, ur urdu,
uz uzbek, ve venda, vi vietnamese, vo volapuk, wa walloon, wo wolof, xh xhosa,
yi yiddish, yo yoruba, yue cantonese, za zhuang, zh chinese, zu zulu
"""

#: English names of languages, by their codes of ISO 639.
LANGUAGES: dict[str, str] = {
    code: name
    for code, _, name in (
        entry.strip().partition(" ")
        for entry in " ".join(_CODES_AND_NAMES.split()).split(",")
    )
}
_CODES = {name: code for code, name in LANGUAGES.items()}


def language_code(language: str) -> str:
    """Return the code of a language, given its code or its English name."""
    given = str(language).strip().lower()
    if given in LANGUAGES:
        return given
    if given in _CODES:
        return _CODES[given]
    close = get_close_matches(given, _CODES, n=1)
    raise InputError(
        f"language is {language!r}; it must be a code, such as de, or a name, such as "
        "german.",
        hint=f"Did you mean {close[0]}?" if close else "Omit it if it is not known.",
    )
