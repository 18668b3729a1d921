"""The WSGI entry point: ``gunicorn --config service/gunicorn.py service.wsgi:app``."""

from service.app import create_app
from service.openapi import documents
from store import logs
from store.settings import Settings

logs.configure()
app = create_app(Settings.from_env())
# The document cannot change while the program runs. It is made here, before gunicorn forks (`preload_app`), so that no
# request waits for it and all processes share it.
documents(app)
