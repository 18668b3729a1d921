"""The REST service: Flask routes over the store and the library.

Nothing here searches: a request is read, checked and written down as a row, or a row is read and answered. The table of
errors is `errors`, the strict reading of requests is `reading`, the resources are one file each in `resources/`.
"""
