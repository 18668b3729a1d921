"""The REST service: Flask routes over the store and the library.

Nothing here searches: a request is parsed, checked and stored as a row, or a row is read and answered. `errors` has the
table of errors, `reading` the strict parsing of requests, and `resources/` one file for each resource.
"""
