"""Errors over HTTP, all in one form: a code for programs, a message for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from minigrad_webui.runs.store import StoreError, UnknownRun
from minigrad_webui.websocket import Refused

Responses = dict[int | str, dict[str, Any]]
"""The error answers of an address, by status."""


class Trouble(BaseModel):
    """The form of every error."""

    code: str = Field(examples=["unknown_run"])
    message: str = Field(description="what was asked, what was found, and what to do")


def trouble(status: int, when: str) -> Responses:
    """Document that an address may answer with this status."""
    return {status: {"model": Trouble, "description": when}}


_CODES = {400: "bad_request", 404: "not_found", 405: "wrong_method", 409: "run_is_live"}


def mount(app: FastAPI) -> None:
    """Let `app` answer every error in this form."""

    @app.exception_handler(UnknownRun)
    def unknown_run(request: Request, error: UnknownRun) -> Response:
        message = f"There is no run {str(error)!r}. GET /api/runs lists the runs there are; it may have been deleted."
        return answer(404, "unknown_run", message)

    @app.exception_handler(StoreError)
    def store_fails(request: Request, error: StoreError) -> Response:
        return answer(503, "store_fails", str(error))

    @app.exception_handler(Refused)
    def refused(request: Request, error: Refused) -> Response:
        return answer(409, error.problem.code, error.problem.message)

    @app.exception_handler(HTTPException)
    def http_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 405:
            return _wrong_method(request)
        return answer(error.status_code, _CODES.get(error.status_code, "error"), error.detail, error.headers)

    @app.exception_handler(RequestValidationError)
    def wrong_parameter(request: Request, error: RequestValidationError) -> Response:
        said = "; ".join(
            f"{'.'.join(map(str, one['loc'][1:]))}: {one['msg']}, found {one['input']!r}" for one in error.errors()
        )
        return answer(422, "wrong_parameter", said)


def _wrong_method(request: Request) -> Response:
    """The answer 405, with all methods of this address; 404 if it has none."""
    methods, path = ", ".join(_methods_of(request)), request.url.path
    if not methods:
        return answer(404, _CODES[404], f"There is no {path}; /api/openapi.json describes what there is.")
    message = f"{path} does not answer to {request.method}. It answers to: {methods}."
    return answer(405, _CODES[405], message, {"Allow": methods})


def _methods_of(request: Request) -> list[str]:
    """The methods of the documented address that matches this path; one without parameters comes first."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    known = [route for route in request.app.routes if isinstance(route, APIRoute) and route.include_in_schema]
    fitting = sorted({route.path for route in known if route.path_regex.match(path)}, key=lambda spelt: "{" in spelt)
    return sorted({method for route in known if route.path in fitting[:1] for method in route.methods or ()})


def answer(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """An error in the common form. `headers` may add one such as Allow."""
    return JSONResponse({"code": code, "message": message}, status, headers)
