# One image for the API, the worker, the sweeper and the migration: the command chooses (docker-compose.yml).
# It runs as its own user and writes only to /tmp, /databases and /var/lib/hstar (volumes), so that its file system can be
# read-only.

FROM python:3.13.9-slim-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends g++ libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src

# The locked packages first: they change less often than the sources.
COPY requirements/ requirements/
RUN --mount=type=cache,target=/root/.cache/pip python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r requirements/build.txt
RUN --mount=type=cache,target=/root/.cache/pip python -m venv /opt/hstar && /opt/hstar/bin/pip install --require-hashes -r requirements/run.txt

COPY pyproject.toml README.md LICENSE ./
COPY native/ native/
COPY src/ src/
COPY migrations/ migrations/
COPY running/ running/
COPY store/ store/
COPY service/ service/
COPY worker/ worker/
COPY docs/ docs/
RUN PATH=/opt/build/bin:$PATH /opt/build/bin/pip wheel --no-build-isolation --no-deps --wheel-dir /opt/dist .
RUN /opt/hstar/bin/pip install --no-deps /opt/dist/*.whl


FROM python:3.13.9-slim-bookworm
RUN groupadd --gid 10001 hstar && useradd --uid 10001 --gid hstar --no-create-home --home-dir /tmp --shell /usr/sbin/nologin hstar \
 && install --directory --owner hstar --group hstar /databases /var/lib/hstar
COPY --from=build /opt/hstar /opt/hstar
# The service's packages, which the wheel has below the library.
RUN ln -s /opt/hstar/lib/python*/site-packages/hstar/server /app
WORKDIR /app
ENV PATH=/opt/hstar/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
USER 10001:10001
EXPOSE 8000
CMD ["python", "-m", "running.supervisor", "api"]
