"""What the name of a file says: binary, generated, secret, prose, data or code."""

from __future__ import annotations

import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Prose whose source lines are shown as they are.
PROSE_SUFFIXES = _words(
    ".md .markdown .mdown .mkd .mdx .rst .rest .adoc .asciidoc .tex .latex .txt .text "
    ".org .srt .vtt"
)
#: Documents whose bytes do not show their text.
COMPRESSED_SUFFIXES = _words(".pdf .docx .epub")
HTML_SUFFIXES = _words(".html .htm .xhtml")
MAIL_SUFFIXES = _words(".eml .mbox")
#: Documents whose text a reader extracts.
EXTRACTED_SUFFIXES = COMPRESSED_SUFFIXES | HTML_SUFFIXES | MAIL_SUFFIXES
#: Data and settings, cut at lines.
DATA_SUFFIXES = _words(
    ".json .jsonl .ndjson .geojson .json5 .jsonc .csv .tsv .yaml .yml .toml .ini .cfg "
    ".conf .properties .xml .xsd .svg .plist .proto .graphql .sql .lock .po .pot .log "
    ".diff .patch .env .in .cmake"
)
NOTEBOOK_SUFFIX = ".ipynb"
_BINARY_SUFFIXES = _words(
    ".png .jpg .jpeg .gif .bmp .ico .icns .webp .tif .tiff .avif .heic .psd .ai .eps "
    ".mp3 .wav .flac .ogg .m4a .aac .mp4 .m4v .mov .avi .mkv .webm .wmv .woff .woff2 "
    ".ttf .otf .eot .zip .gz .bz2 .xz .zst .lz4 .7z .rar .tar .tgz .jar .war .whl .egg "
    ".deb .rpm .dmg .iso .apk .exe .dll .so .dylib .a .o .obj .lib .pdb .class .pyc "
    ".pyo .pyd .wasm .bin .dat .db .sqlite .sqlite3 .npy .npz .pkl .pickle .parquet "
    ".arrow .feather .h5 .hdf5 .pt .pth .onnx .safetensors .gguf .doc .xls .xlsx .ppt "
    ".pptx .odt .ods .odp .mo .keystore .jks .p12 .pfx .swp .ds_store"
)
# Lock files, bundles, source maps, snapshots and the output of compilers of schemas.
_GENERATED = re.compile(
    r"""(?: .*\.(?: lock | lockb | map | snap ) | .*[.-]min\.(?:js|css|mjs|cjs)
    | .*\.bundle\.js | package-lock\.json | npm-shrinkwrap\.json | pnpm-lock\.yaml
    | go\.sum | gopkg\.lock | .*_pb2(?:_grpc)?\.pyi? | .*\.pb\.(?:go|cc|h|swift|dart)
    | .*\.g\.(?:dart|cs) | .*\.designer\.cs | .*\.generated\.\w+ | .*_generated\.\w+
    | packages\.lock\.json | gradlew(?:\.bat)? | mvnw(?:\.cmd)? )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_SECRET = re.compile(
    r"""(?: \.env(?!\.(?:example|sample|template|dist|test)\Z)(?:\..*)? | \.envrc
    | (?!(?:example|sample|template|dist|test)\.)[^.].*\.env
    | .*\.(?: tfvars | tfstate )(?:\.(?: json | backup ))? | kubeconfig(?:\..*)?
    | \.?credentials(?:\.(?: json | ya?ml | toml | ini | csv | xml | txt ))?
    | service[-_]?account.*\.json | secrets?\.(?: ya?ml | json | toml )
    | \.npmrc | \.git-credentials | \.dockercfg
    | .*\.(?: pem | key | ppk ) | id_(?: rsa | dsa | ecdsa | ed25519 )
    | \.netrc | \.pypirc | \.pgpass | \.htpasswd )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
# Keys with their content, and tokens by the prefixes that their makers gave them to be
# found by: AWS (not the key in its guides), GitHub, GitLab, Slack, Stripe, Google, npm,
# PyPI, Anthropic and OpenAI.
_SECRET_CONTENT = re.compile(
    r"""-----BEGIN\ (?:[A-Z0-9]+\ )*PRIVATE\ KEY(?:\ BLOCK)?-----
      [^-]{0,300}?[A-Za-z0-9+/]{40}
    | \b(?: (?:AKIA|ASIA)(?![A-Z0-9]*EXAMPLE)[A-Z0-9]{16} | gh[pousr]_[A-Za-z0-9]{36}
    | github_pat_[A-Za-z0-9_]{40} | glpat-[\w-]{20} | xox[abprs]-[A-Za-z0-9-]{20}
    | [sr]k_live_[A-Za-z0-9]{20} | AIza[\w-]{35} | npm_[A-Za-z0-9]{36}
    | pypi-AgEI[\w-]{40} | sk-(?:ant|proj)-[\w-]{40} )""",
    re.VERBOSE,
)
_REPOSITORY_DATA = frozenset((".git", ".hg", ".svn", ".jj", ".bzr", "_darcs", "CVS"))
_SKIPPED_FOLDERS = _words(
    "node_modules bower_components __pycache__ .venv .tox .nox .eggs .mypy_cache "
    ".pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .gradle .terraform "
    ".next .nuxt .svelte-kit .parcel-cache .turbo .yarn .dart_tool .idea .vs"
)


def suffix_of(name: str) -> str:
    """Suffix of a file name in lower case, with its dot; empty if there is none.

    >>> suffix_of("setup.PY"), suffix_of("Makefile"), suffix_of(".gitignore")
    ('.py', '', '')
    """
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix.lower()}" if dot and stem else ""


def is_binary_name(name: str) -> bool:
    """Whether files of that name contain no text.

    >>> is_binary_name("logo.PNG"), is_binary_name("logo.svg")
    (True, False)
    """
    return suffix_of(name) in _BINARY_SUFFIXES or name == ".DS_Store"


def unwanted_kind(name: str) -> str:
    """Why files of that name are left out of folders; empty if they are not.

    Programs write locks, bundles and the like. Secrets are passwords or keys.

    >>> unwanted_kind("jquery.min.js"), unwanted_kind(".env")
    ('generated', 'may contain secrets')
    >>> unwanted_kind(".env.example")
    ''
    """
    if _GENERATED.match(name):
        return "generated"
    return "may contain secrets" if _SECRET.match(name) else ""


def has_secret(text: str) -> bool:
    """Whether a text contains a private key, or a token that gives access to a service.

    >>> has_secret("token = ghp_" + 36 * "a"), has_secret("token = ghp_...")
    (True, False)
    """
    return _SECRET_CONTENT.search(text) is not None


def is_skipped_folder(name: str) -> bool:
    """Whether folders of that name contain no source: history, packages or caches.

    >>> is_skipped_folder(".git"), is_skipped_folder("src")
    (True, False)
    """
    return name in _REPOSITORY_DATA or name in _SKIPPED_FOLDERS
