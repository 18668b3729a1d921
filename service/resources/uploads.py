"""The files of a class: a folder or a zip, one row a file whatever happens."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import PurePosixPath

from apiflask import APIBlueprint
from flask import Response
from sqlalchemy.orm import Session

from hstar.errors import InvalidRequest
from hstar.grading import Read, read_something
from hstar.grading.batch import in_doubt, in_one_line
from hstar.grading.handed_in import HandedIn, unpacked
from hstar.grading.intake import Notation
from hstar.grading.requests import (
    GradingRequest,
    Upload,
    UploadChange,
    UploadObject,
    UploadPage,
    UploadsIn,
    UploadStatus,
)
from hstar.grading.roster import Found, Roster, RosterLine
from service.answering import check_cursor, next_path, object_response, page_response
from service.classes import document_of, manage_assignment
from service.context import context, principal, record_change
from service.errors import ProblemError
from service.headers import idempotency_key
from service.job_resource import check_room
from service.once import fingerprint_of, reused
from service.openapi import READ_PROBLEMS, WRITE_PROBLEMS, answers, include, responses
from service.resources.assignments import TAG
from service.resources.submissions import check_allowance, content_of, read_in_notation
from service.schema import KeyHeader, Paging
from store.grading import records, rosters, submissions, uploads
from store.grading.models import StoredAssignment, StoredUpload
from store.ids import new_id
from store.owners.idempotency import KeyReusedError, fingerprint, remember

bp = APIBlueprint("uploads", __name__, url_prefix="/v1", tag=TAG)
include(UploadsIn, UploadChange, Upload, UploadObject, UploadPage)

EXAMPLE = {"files": [{"filename": "1001.csv", "content": "scramble,solution\nU F R,R' F' U'\n"}]}


class UploadFilter(Paging):
    """Filters of files."""

    status: UploadStatus | None = None


@bp.post("/assignments/<id>/uploads")
@bp.input(KeyHeader, location="headers")
@bp.input(UploadsIn, examples={"one": {"summary": "One file; its name tells whose it is", "value": EXAMPLE}})
@bp.output(UploadPage, status_code=202, description="A row for each file")
@bp.doc(
    operation_id="uploadSubmissions",
    responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found", "idempotency-key-reused"),
)
def upload_submissions(id: str, headers_data: KeyHeader, json_data: UploadsIn) -> Response:
    """Hand in for a class

    Files of many students, or zips of them, also those of Canvas and Moodle. Whose a file is follows from its name, or
    from the id, address or name in it. Each file is a row, whatever happens: what cannot be graded is kept with the
    reason. Sent again with its Idempotency-Key, a request hands in only what did not arrive.
    """
    with context().sessions.read() as session:
        row = manage_assignment(session, id)
        roster = Roster(rosters.read(session, rosters.scope_of_assignment(row, document_of(row))))
    key = idempotency_key(headers_data.idempotency_key)
    once = None if key is None else (key, fingerprint_of(key, json_data))
    done: list[Upload] = []
    for given in json_data.files:
        try:
            files = unpacked(given.filename, content_of(given), roster)
        except ProblemError as error:  # the base64 cannot be read
            files = [HandedIn(given.filename, fault=str(error))]
        whose = given.student if len(files) == 1 else None
        for file in files:
            done.append(_take(id, file, roster, whose, notation=given.notation, once=_of_file(once, len(done))))
    context().doorbell.ring()
    return object_response(UploadPage(items=done), 202)


@bp.get("/assignments/<id>/uploads")
@bp.input(UploadFilter, location="query")
@bp.output(UploadPage, description="A page of files")
@bp.doc(
    operation_id="listUploads",
    responses=responses({200: {"headers": answers("Link")}}, *READ_PROBLEMS, "role-needed", "not-found"),
)
def list_uploads(id: str, query_data: UploadFilter) -> Response:
    """List the files that came, newest first

    Those that an instructor handed in for the class, and those of students that could not be read.
    """
    cursor, size = check_cursor(query_data.cursor), query_data.limit
    with context().sessions.read() as session:
        row = manage_assignment(session, id)
        found = uploads.page(session, row.id, status=query_data.status, cursor=cursor, size=size + 1)
    path = next_path(found[size - 1].id if len(found) > size else None)
    return page_response(UploadPage(items=[_to_object(one) for one in found[:size]], next=path), path)


@bp.get("/assignments/<id>/uploads/<upload>")
@bp.output(UploadObject, description="The file, and how it would be read")
@bp.doc(operation_id="getUpload", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def get_upload(id: str, upload: str) -> Response:
    """Read what became of a file, and how its moves would be read"""
    with context().sessions.read() as session:
        row, found = _find(session, id, upload)
        read, _ = _read(HandedIn(found.filename, b64decode(found.content)))
        reading = None if read is None else read_in_notation(session, row, found.student, read)
    return object_response(UploadObject(**dict(_to_object(found)), reading=reading))


@bp.put("/assignments/<id>/uploads/<upload>")
@bp.input(UploadChange, examples={"student": {"summary": "It is Ada's", "value": {"student": "1001"}}})
@bp.output(Upload, description="The file, tried again")
@bp.doc(operation_id="changeUpload", responses=responses({}, *WRITE_PROBLEMS, "role-needed", "not-found"))
def change_upload(id: str, upload: str, json_data: UploadChange) -> Response:
    """Say whose a file is, or what its moves mean, and try again"""
    with context().sessions.read() as session:
        row, found = _find(session, id, upload)
        roster = Roster(rosters.read(session, rosters.scope_of_assignment(row, document_of(row))))
        file = HandedIn(found.filename, b64decode(found.content))
        student = json_data.student or found.student
    if found.status == "submitted":
        raise ProblemError("invalid-request", "the file was handed in already; delete its submission first")
    return object_response(_take(id, file, roster, student, found.id, json_data.notation))


@bp.delete("/assignments/<id>/uploads/<upload>")
@bp.output({}, status_code=204, description="It is gone")
@bp.doc(operation_id="deleteUpload", responses=responses({}, *READ_PROBLEMS, "role-needed", "not-found"))
def delete_upload(id: str, upload: str) -> Response:
    """Delete a file; its submission, if there is one, stays"""

    def remove(session: Session) -> None:
        _, found = _find(session, id, upload, lock=True)
        record_change(session, found.id, found.filename)
        session.delete(found)

    context().sessions.run(remove)
    return Response(status=204)


def _find(session: Session, id: str, upload: str, *, lock: bool = False) -> tuple[StoredAssignment, StoredUpload]:
    row = manage_assignment(session, id, lock=lock)
    found = uploads.get(session, row.id, upload, lock=lock)
    if found is None:
        raise ProblemError("not-found", f"there is no file {upload!r:.60}")
    return row, found


Once = tuple[str, str]


def _of_file(once: Once | None, number: int) -> Once | None:
    """The Idempotency-Key of one file, made from the request's: files are stored one by one."""
    return None if once is None else (f"{fingerprint(once[0].encode())}/{number}", once[1])


def _take(
    id: str, file: HandedIn, roster: Roster, student: str | None, upload: str | None = None,
    notation: Notation | None = None, once: Once | None = None,
) -> Upload:  # fmt: skip
    """Hand in one file, or keep it with the reason why not.

    :param upload: the id of a file that is there already, and tried again
    :param once: an Idempotency-Key and a fingerprint; a file that came with it before is only looked up
    """
    read, message = _read(file)
    found = _whose(file, roster, student, read)
    new = upload or new_id()

    def write(session: Session) -> StoredUpload:
        row = manage_assignment(session, id, lock=True)
        number = new if once is None else remember(session, principal().owner, *once, new)
        if number != new and (known := uploads.get(session, row.id, number)) is not None:
            return known
        if upload is not None:
            earlier = uploads.get(session, row.id, upload, lock=True)
            if earlier is not None:
                session.delete(earlier)
                session.flush()
        record_change(session, row.id, f"{file.path[-100:]}")
        submission, why = None, message
        status: UploadStatus = "refused"
        if read is not None and found.line is None:
            status, why = "unassigned", "nobody on the roster has this name, id or address"
        elif read is not None and found.line is not None:
            reading = read_in_notation(session, row, found.line.student, read)
            if reading.certain or notation is not None:
                submission, why = _submit(session, row, file, found, notation or reading.notation)
                status = "refused" if submission is None else "submitted"
                if notation is not None:
                    place = rosters.scope_of_assignment(row, document_of(row)), found.line.student
                    records.keep_notation(session, *place, document_of(row).puzzle, notation)
            else:
                status, why = "mapping", in_doubt(reading)
        return uploads.add(
            session, number, row.id, file.path, b64encode(file.data).decode(), status=status,
            student=None if found.line is None else found.line.student, found_by=found.by, named_in_file=found.other,
            message=why, submission_id=submission,
        )  # fmt: skip

    try:
        return _to_object(context().sessions.run(write))
    except KeyReusedError:
        raise reused() from None


def _read(file: HandedIn) -> tuple[Read | None, str | None]:
    if file.fault is not None:
        return None, file.fault
    name = PurePosixPath(file.path).name
    try:
        return read_something(file.data, name), None
    except InvalidRequest as error:
        return None, in_one_line(error, name)


def _whose(file: HandedIn, roster: Roster, student: str | None, read: Read | None) -> Found:
    """The student of a file. Without a roster everybody is known whom the file or its name names."""
    who = None if read is None else read.submission
    inside = (who.student, who.email, who.name) if who is not None else (None, None, None)
    if student is not None:
        line = roster.by_id.get(student) or RosterLine(student=student)
        other = who.student if who is not None and who.student not in (None, student) and roster.students else None
        return Found(line, "given", other)
    if roster.students:
        return roster.whose(file.path, *inside)
    claimed = next((text for text in inside if text), None)
    stem = PurePosixPath(file.path.split("/")[0]).stem
    return Found(RosterLine(student=(claimed or stem)[:200]), "id" if claimed else "file name")


def _submit(
    session: Session, row: StoredAssignment, file: HandedIn, found: Found, notation: Notation
) -> tuple[str | None, str | None]:
    """The id of the new submission, or why there is none."""
    assert found.line is not None
    given, line = document_of(row), found.line
    try:
        check_allowance(session, row, given, line.student)
        check_room(session)
    except ProblemError as error:
        return None, error.detail
    asked = GradingRequest(
        assignment=given, student=line.student, name=line.name, email=line.email, named_in_file=found.other,
        notation=notation, filename=file.path[-200:], content=b64encode(file.data).decode(),
    )  # fmt: skip
    new = new_id()
    submissions.add(session, new, row, principal().owner, asked)
    session.flush()
    return new, None


def _to_object(row: StoredUpload) -> Upload:
    return Upload.model_validate(
        {
            "id": row.id, "assignment": row.assignment_id, "filename": row.filename, "student": row.student,
            "by": row.found_by, "named_in_file": row.named_in_file, "status": row.status, "message": row.message,
            "submission": row.submission_id, "uploaded_at": row.uploaded_at,
        }
    )  # fmt: skip
