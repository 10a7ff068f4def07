# thatch serve in a container: see docs/guides/serve.md.
FROM python:3.13-trixie AS build
WORKDIR /source
COPY . .
RUN python -m venv /opt/thatch \
    && /opt/thatch/bin/pip install --no-cache-dir ".[files,web]"

FROM python:3.13-slim-trixie
# The kernels use OpenMP. Debian replaces its versions, so none is named.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/thatch /opt/thatch
ENV PATH=/opt/thatch/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin thatch
USER 10001:10001
EXPOSE 8000
# The page needs no token; the health call of the API does.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/', timeout=4)"]
ENTRYPOINT ["thatch", "serve", "--host", "0.0.0.0"]
CMD ["--token-file", "/run/secrets/thatch-token"]
