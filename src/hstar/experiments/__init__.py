"""Experiments: one request, a sweep of searches over scrambles, and the report's table, plots and comparisons.

==================  =====================================================================================
`schema`            requests and answers: `ExperimentRequest`, `Experiment`, `Table`, `Comparison`, `Report`
`design`            from the request to its rows, the same on every machine
`rows`              one search, flat, with its setting and its answer; true distances
`observations`      what a search says about a measure: one that hit a limit is a lower bound
`distributions`     the values of many groups at once: every one of them, or in buckets
`summaries`         every statistic, each declared and computed in one place
`growth`            the factor by which a measure grows with each move
`grouped`           all of these by group, from searches or from a rollup of millions
`table`, `compare`  lines by k and way to search; two ways on the same instances
`forecast`          how long the rest will take
`report`            all of that as one object
`export`, `plots`   CSV, JSON, Parquet; SVG and PNG
`local`, `journal`  running on this machine's cores, and continuing an interrupted run
==================  =====================================================================================
"""
