"""The server as a FastAPI application.

    GET    /api/health                    is it up?                                          (no token needed)
    GET    /api/runs                      all runs
    GET    /api/runs/{run}                one
    GET    /api/runs/{run}/steps          its timeline
    GET    /api/runs/{run}/gradients      the norm of each parameter's gradient, step by step
    GET    /api/runs/{run}/findings       what is wrong with its program, in words
    GET    /api/runs/{run}/records        its records, as a trace file
    GET    /api/runs/{run}/graph          the graph of one step
    GET    /api/runs/{run}/tensors/{tensor}/tile   part of an array, out of the running program
    POST   /api/runs/{run}/touch          compute one of its steps again, with one element changed
    GET    /api/runs/{run}/page           the run, with its other ranks, as one HTML file
    DELETE /api/runs/{run}                delete it
    POST   /api/runs/import               make a run of a trace file
    POST   /api/runs/{run}/control        pause its program, step it, continue it
    WS     /api/runs/{run}/live           watch it, and control its program
    WS     /api/publish                   publish records
    ...    /api/lessons...                       the course, see `lessons`
    ...    /api/ops...                    the reference of ops, see `reference`

Everything else is the front end.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import islice
from typing import Annotated

from fastapi import BackgroundTasks, FastAPI, HTTPException, Path, Query, Request, Response, WebSocket
from fastapi.responses import JSONResponse, StreamingResponse

from minigrad import __version__
from minigrad.observe.schema.parts import LARGEST
from minigrad_webui import api_page, documentation, errors, frontend, op_reference
from minigrad_webui.errors import trouble
from minigrad_webui.lessons import routes as lesson_routes
from minigrad_webui.protocol import (
    Control,
    Distributions,
    Findings,
    Gradients,
    Graph,
    Health,
    Look,
    Run,
    Step,
    Ticket,
    Tile,
    Touched,
    TouchRequest,
)
from minigrad_webui.runs import page_export, trace_import
from minigrad_webui.runs.doctor import Doctor
from minigrad_webui.runs.hub import Hub
from minigrad_webui.runs.publishers import GRACE, Publishing
from minigrad_webui.runs.rerun import Reruns
from minigrad_webui.runs.step_graph import fold
from minigrad_webui.runs.store import Store
from minigrad_webui.runs.viewers import watch
from minigrad_webui.security import Guard, SecurityMiddleware

RunId = Annotated[str, Path(description="the run's id, from the list of runs", examples=["20260101-120000-5f3a"])]
AtStep = Annotated[int | None, Query(ge=0, le=LARGEST, description="the step, from 0")]

_NO_RUN = trouble(404, "There is no such run, or no such step.")
_NO_ANSWER = trouble(409, "Its program cannot be asked.")
_ABOUT = """
What the browser explorer is made of: runs, their timelines, their records, their graphs.

Every request but `/api/health` needs the token that the server printed when it started, as
`Authorization: Bearer TOKEN`.
Records are described in the schemas; a run's records, one a line, are a trace file.

Two WebSockets stand beside these addresses: programs publish at `/api/publish`, and viewers watch at
`/api/runs/{id}/live`; `protocol` describes their messages.
"""


def create_app(store: Store, guard: Guard | None, *, grace: float = GRACE, url: str | None = None) -> FastAPI:
    """The application over an open store; it closes the store when it ends.

    `grace` is how many seconds a program may be disconnected before its run counts as lost. `url` is where this server
    can be reached; without it, lessons are not recorded. Without a `guard`, the caller must check who has access.
    """
    hub = Hub(store)
    publishing = Publishing(store, hub, grace)
    address = None if url is None or guard is None else (url, guard.token)
    classes = lesson_routes.Lessons(address, store, grace=2 * grace)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await publishing.start()
        yield
        await classes.close()
        publishing.stop()
        store.close()

    app = FastAPI(
        title="minigrad explorer",
        summary="Watch autograd think.",
        description=_ABOUT,
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses={
            **trouble(400, "The body is not JSON."),
            **trouble(401, "The token is missing or wrong."),
            **trouble(422, "A parameter is not what it should be."),
        },
    )
    app.state.hub, app.state.publishing, app.state.lessons = hub, publishing, classes
    if guard is not None:
        app.add_middleware(SecurityMiddleware, guard=guard)
        _opening(app, guard)
    errors.mount(app)
    _reading(app, store)
    _computing(app, store)
    _changing(app, store, hub, publishing)
    _live(app, store, hub, publishing)
    lesson_routes.mount(app, classes)
    op_reference.mount(app)
    api_page.mount(app)
    documentation.mount(app)
    frontend.mount(app)
    return app


def _reading(app: FastAPI, store: Store) -> None:
    @app.get("/api/health", tags=["server"], summary="Is the server up?")
    def health() -> Health:
        """The versions of the server. This is the only address that needs no token."""
        return Health(minigrad=__version__, runs=len(store.runs()))

    @app.get("/api/runs", tags=["runs"], summary="All runs, the newest first")
    def runs() -> list[Run]:
        """All runs, also active ones. A run whose program was killed is `lost`, and `error` says how."""
        return store.runs()

    @app.get("/api/runs/{run}", tags=["runs"], summary="One run", responses=_NO_RUN)
    def one(run: RunId) -> Run:
        """The run's name, status, counts, and newest loss."""
        return store.run(run)

    @app.get(
        "/api/runs/{run}/steps",
        tags=["runs"],
        summary="The timeline of a run",
        response_model=list[Step],
        responses=_NO_RUN,
    )
    def steps(run: RunId) -> StreamingResponse:
        """One row for each step: where its records are, and its loss and other results."""
        rows = (row.model_dump_json() for row in store.steps(run))
        return StreamingResponse(_array(rows), media_type="application/json")

    @app.get(
        "/api/runs/{run}/gradients",
        tags=["runs"],
        summary="The norm of each parameter's gradient, step by step",
        response_model=Gradients,
        responses=_NO_RUN,
    )
    def gradients(run: RunId) -> Response:
        """Gradient norms of the steps that have values; of a long run, one of every `every` such steps."""
        return Response(store.gradients(run).model_dump_json(), media_type="application/json")

    @app.get(
        "/api/runs/{run}/distributions/{tensor}",
        tags=["runs"],
        summary="How the elements of a tensor and of its gradient are distributed, step by step",
        responses=_NO_RUN,
    )
    def distributions(
        run: RunId, tensor: Annotated[int, Path(ge=0, le=LARGEST, description="the number of the tensor")]
    ) -> Distributions:
        """Quantiles of the steps that have values; of a long run, of one of every `every` such steps."""
        return store.distributions(run, tensor)

    doctor = Doctor(store)

    @app.get("/api/runs/{run}/findings", tags=["runs"], summary="What is wrong with a program", responses=_NO_RUN)
    def findings(run: RunId) -> Findings:
        """The findings of `minigrad explain`.

        Each request reads some records of a long run: ask again until `complete`.
        """
        return doctor.findings(run)

    @app.get(
        "/api/runs/{run}/records",
        tags=["runs"],
        summary="The records of a run, one a line",
        response_class=Response,
        responses={
            **_NO_RUN,
            200: {
                "description": "JSON Lines, streamed. Without parameters it is the run's trace file.",
                "content": {"application/x-ndjson": {"example": '{"seq":1,"t":0.0,"step":0,"type":"run_started"}\n'}},
            },
        },
    )
    def records(
        run: RunId,
        after: Annotated[int, Query(ge=0, le=LARGEST, description="only records with a greater `seq`")] = 0,
        step: Annotated[int | None, Query(ge=0, le=LARGEST, description="only records of this step")] = None,
        limit: Annotated[int | None, Query(ge=0, le=LARGEST, description="the largest number of records")] = None,
    ) -> StreamingResponse:
        """The records as JSON Lines. They are read page by page, so a run may have any length."""
        texts = store.records(run, after=after, step=step, limit=limit)
        return StreamingResponse(_lines(texts), media_type="application/x-ndjson")

    @app.get(
        "/api/runs/{run}/graph", tags=["runs"], summary="The graph of one step", response_model=Graph, responses=_NO_RUN
    )
    def graph(run: RunId, step: AtStep = None) -> Response:
        """The graph at the end of a step: last versions, values and gradients. Default: the newest step."""
        wanted = _step_of(store.run(run), step)
        return JSONResponse(fold(run, wanted, store.records(run, step=wanted)))

    @app.get(
        "/api/runs/{run}/page",
        tags=["runs"],
        summary="The run as one HTML file",
        response_class=Response,
        responses={
            **_NO_RUN,
            **trouble(503, "The front end is not built."),
            200: {
                "description": "A page that opens anywhere.",
                "content": {"text/html": {"schema": {"type": "string"}}},
            },
        },
    )
    def page(run: RunId, step: AtStep = None) -> StreamingResponse:
        """The explorer as one HTML file with this run inside, and the other ranks of its launch.

        It opens without a server.
        """
        if step is not None:
            _step_of(store.run(run), step)
        try:
            return StreamingResponse(page_export.pieces(store, run, step), media_type="text/html")
        except page_export.NotBuilt as error:
            raise HTTPException(503, str(error)) from error


def _step_of(run: Run, step: int | None) -> int:
    """The requested step, or the newest. Answers 404 if the run has no such step."""
    wanted = max(0, run.steps - 1) if step is None else step
    if wanted >= max(1, run.steps):
        raise HTTPException(404, f"Run {run.id!r} has steps 0 to {run.steps - 1}; there is no step {wanted}.")
    return wanted


def _computing(app: FastAPI, store: Store) -> None:
    reruns = Reruns(store)

    @app.post("/api/runs/{run}/touch", tags=["runs"], summary="A step with one element changed", responses=_NO_RUN)
    def touch(run: RunId, asked: TouchRequest) -> Touched:
        """Compute forward and backward again from the records, and compare with the gradient's prediction. Nothing is
        stored.

        If the step cannot be computed again, `problem` says why: for example an op of the user's, or a sampled tensor.
        """
        return reruns.touched(run, asked)


def _changing(app: FastAPI, store: Store, hub: Hub, publishing: Publishing) -> None:
    @app.delete(
        "/api/runs/{run}",
        tags=["runs"],
        summary="Delete a run",
        status_code=204,
        responses={**_NO_RUN, **trouble(409, "Its program still runs, or may come back.")},
    )
    async def delete(run: RunId, afterwards: BackgroundTasks) -> None:
        """Delete the run and all its records for good. Their disk space is freed soon after."""
        if publishing.is_live(run):
            raise HTTPException(409, f"Run {run!r} is being written by a program; stop that first.")
        if (await asyncio.to_thread(store.run, run)).status == "running":
            raise HTTPException(409, publishing.awaited(run))
        await asyncio.to_thread(store.delete, run)
        hub.forget(run)
        afterwards.add_task(store.reclaim)

    @app.post(
        "/api/runs/{run}/control",
        tags=["runs"],
        summary="Pause a program, step it, continue it",
        status_code=202,
        responses={**_NO_RUN, **_NO_ANSWER},
    )
    async def control(run: RunId, request: Control) -> None:
        """Pass the request on to the program. The run has `paused`, with the place, once the program has paused."""
        await publishing.control(run, request)

    @app.get(
        "/api/runs/{run}/tensors/{tensor}/tile",
        tags=["runs"],
        summary="Part of an array, out of the running program",
        response_model=Tile,
        responses={**_NO_RUN, **_NO_ANSWER},
    )
    async def tile(
        run: RunId,
        tensor: Annotated[int, Path(ge=1, le=LARGEST, description="its number in the records")],
        look: Annotated[Look, Query()],
    ) -> Response:
        """A part of an array as it is in the program now, which may differ from the record shown. It is not stored."""
        asked = look.model_copy(update={"tensor": tensor})
        return Response(await publishing.look(run, asked), media_type="application/json")

    @app.post(
        "/api/runs/import",
        tags=["runs"],
        summary="Import a trace file",
        status_code=201,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "application/x-ndjson": {"schema": {"type": "string", "format": "binary"}},
                    "application/gzip": {"schema": {"type": "string", "format": "binary"}},
                },
            }
        },
        responses=trouble(400, "It does not begin like a trace."),
    )
    async def import_(request: Request) -> trace_import.Imported:
        """Import JSON Lines, gzipped or not, as a run. Unreadable lines are left out and listed by number."""
        try:
            return await trace_import.take(request.stream(), store)
        except trace_import.BadTrace as error:
            raise HTTPException(400, str(error)) from error


def _live(app: FastAPI, store: Store, hub: Hub, publishing: Publishing) -> None:
    @app.websocket("/api/runs/{run}/live")
    async def live(socket: WebSocket, run: str) -> None:
        await watch(socket, run, store, hub, publishing)

    @app.websocket("/api/publish")
    async def publish(socket: WebSocket) -> None:
        await publishing.serve(socket)


def _opening(app: FastAPI, guard: Guard) -> None:
    @app.post("/api/tickets", tags=["server"], summary="A key that opens the explorer once", status_code=201)
    async def ticket() -> Ticket:
        """A ticket for the address of a page: add it as `?ticket=`. It is valid for ten minutes and one page."""
        return Ticket(ticket=guard.tickets.issue())


def _lines(texts: Iterator[str]) -> Iterator[str]:
    for some in _some(texts):
        yield "\n".join(some) + "\n"


def _array(texts: Iterator[str]) -> Iterator[str]:
    separator = "["
    for some in _some(texts):
        yield separator + ",".join(some)
        separator = ","
    yield "]" if separator == "," else "[]"


def _some(texts: Iterator[str]) -> Iterator[list[str]]:
    """Some texts at a time, since every piece of an answer needs a turn of the server."""
    while some := list(islice(texts, 500)):
        yield some
