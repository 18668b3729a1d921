"""What gunicorn serves: ``gunicorn --config service/gunicorn.py service.wsgi:app``."""

from service.app import create_app
from service.resources.catalogue import named_heuristics
from store import logs
from store.settings import Settings

logs.configure()
app = create_app(Settings.from_env())
# The verdicts cannot change while the program runs. Computed here, before gunicorn forks (`preload_app`), they cost no
# request anything, and every process has them.
named_heuristics()
