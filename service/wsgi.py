"""The WSGI entry point: ``gunicorn --config service/gunicorn.py service.wsgi:app``."""

from service.app import create_app
from service.openapi import build_models
from store import logs
from store.settings import Settings

logs.configure()
app = create_app(Settings.from_env())
build_models()
