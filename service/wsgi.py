"""The WSGI entry point: ``gunicorn --config service/gunicorn.py service.wsgi:app``."""

from service.app import create_app
from service.openapi import documents
from service.resources.catalogue import named_heuristics
from store import logs
from store.settings import Settings

logs.configure()
app = create_app(Settings.from_env())
# The verdicts and the document cannot change while the program runs. They are made here, before gunicorn forks
# (`preload_app`), so that no request waits for them and all processes share them.
named_heuristics()
documents(app)
