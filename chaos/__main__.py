"""`python -m chaos COMMAND`: see `python -m chaos --help`."""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

from chaos import attack, heads, hosts, memory, network, proofs, rounds
from chaos.experiments import EXPERIMENTS
from chaos.faults import Result, run, select
from chaos.report import line_of, summary_of, write_table
from chaos.simulation.histories import Simulated, live, run_on_all_cores
from chaos.simulation.memory import MemoryJobs
from chaos.simulation.mutants import EQUIVALENT, HISTORIES, all_mutants, is_noticed
from chaos.simulation.specification import Violation
from chaos.soak import soak, table_of
from chaos.system import System
from tests.servers import Valkey
from tests.service.processes import Api


def simulate(options: argparse.Namespace) -> int:
    """Random histories of jobs in memory."""
    if options.tell is not None:
        try:
            live(options.tell, MemoryJobs(), tell=print)
        except Violation as error:
            print(f"violation: {error}")
            return 1
        print("no violation")
        return 0

    def tell(so_far: Simulated) -> None:
        if sys.stderr.isatty():
            print(f"\r{so_far.histories:,} of {options.histories:,}", end="", file=sys.stderr, flush=True)

    done = run_on_all_cores(options.seed, options.histories, options.processes, tell)
    for seed, violation in done.violations[:20]:
        print(f"seed {seed}: {violation}\n  to see it step by step: python -m chaos simulate --tell {seed}")
    print(
        f"{done.histories:,} histories with {done.actions:,} actions in {done.seconds:.0f} s: "
        f"{len(done.violations)} violations"
    )
    return 1 if done.violations else 0


def services(options: argparse.Namespace) -> int:
    """Histories of whole services under a virtual clock."""
    seeds = range(options.seed, options.seed + options.histories)
    found = []
    with ProcessPoolExecutor(options.processes) as pool:
        for seed, violation in zip(seeds, pool.map(_live_services, seeds, chunksize=20), strict=True):
            if violation:
                found.append(seed)
                print(f"seed {seed}: {violation}", flush=True)
    print(f"{len(seeds):,} histories of whole services: {len(found)} violations")
    return 1 if found else 0


def _live_services(seed: int) -> str:
    # It needs greenlet, which only the tests' requirements have.
    from chaos.simulation.services import live_services

    try:
        live_services(seed)
    except Violation as violation:
        return str(violation)
    return ""


def mutants(options: argparse.Namespace) -> int:
    """Changes of the rules, and whether the specification notices them."""
    every = [mutant.name for mutant in all_mutants()]
    seeds = range(options.seed, options.seed + options.histories)
    with ProcessPoolExecutor(options.processes) as pool:
        noticed = list(pool.map(partial(is_noticed, seeds=seeds), every, chunksize=8))
    survivors = [name for name, found in zip(every, noticed, strict=True) if not found]
    for name in survivors:
        print(f"survives: {name}: {EQUIVALENT.get(name, 'UNEXPLAINED')}")
    print(
        f"{len(every) - len(survivors)} of {len(every)} changes of the rules are noticed within {len(seeds)} histories"
    )
    return 1 if set(survivors) - set(EQUIVALENT) else 0


def faults(options: argparse.Namespace) -> int:
    """Fault experiments on the real processes."""
    results = []

    def tell(result: Result) -> None:
        results.append(result)
        print(line_of(result), flush=True)
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in results], indent=1))

    runs = range(options.first, options.first + options.repeat)
    run(select(options.only), runs, seed=options.seed, scale=options.scale, tell=tell)
    print(summary_of(results))
    if options.docs:
        write_table(options.docs, results)
    return 1 if any(result.violation for result in results) else 0


def fault_rounds(options: argparse.Namespace) -> int:
    """Rounds of one fault each."""
    done: list[rounds.Round] = []
    settings = rounds.SHIPPED if options.shipped else {}
    at = (options.rounds, options.first_round, options.seed, options.processes)
    for some in rounds.run_all(*at, settings, hang=options.hang, log=options.json):
        done += some
        for one in some:
            if one.violation:
                print(f"round {one.number}, {one.fault} on {one.database}: VIOLATION\n{one.violation}")
        print(rounds.summary_of(done), flush=True)
    print(f"\n{rounds.table_of(done)}")
    return 1 if any(one.violation for one in done) else 0


def soak_for(options: argparse.Namespace) -> int:
    """Full load for some time."""
    with System("sqlite:///{home}/hstar.sqlite", seed=options.seed) as system:
        found, jobs = soak(system, options.minutes, options.rate)
        system.calm()
        system.check()
        notes = system.notes
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1))
    print(table_of(found))
    grew = [one.name for one in found if one.grew]
    print(f"\n{jobs:,} jobs in {options.minutes:g} minutes; grew: {', '.join(grew) or 'none'}")
    print(*notes, sep="\n")
    return 1 if grew else 0


def attack_the_api(options: argparse.Namespace) -> int:
    """Hostile connections."""
    with Valkey() as valkey, Api(f"sqlite:///{valkey.home}/attack.sqlite", valkey.url, real=True) as api:
        kinds = options.only or [*attack.KINDS]
        quiet, attacked = attack.attack(api, options.connections, options.seconds, kinds)
    print(f"without: {quiet}\nwith {options.connections}: {attacked}")
    return 1 if attacked.failed else 0


def read_heads(options: argparse.Namespace) -> int:
    """Random heads and bodies, read in pieces and at once."""
    told: Counter[str] = Counter()
    found = 0
    for seed in range(options.seed, options.seed + options.count):
        different = heads.compare(random.Random(seed), told)
        if different:
            found += 1
            print(f"seed {seed}: {different}")
    print(f"{told['messages']:,} messages, {told['requests']:,} requests in them: {found} disagreements")
    return 1 if found else 0


HOSTS_PARTS = ("kinds", "cuts", "proof")


def many_hosts(options: argparse.Namespace) -> int:
    """Every part on a host of its own."""
    reason = network.why_not()
    if reason:
        print(f"cannot run: {reason}")
        return 2
    settings = rounds.SHIPPED if options.shipped else {}
    if "kinds" in options.parts or "cuts" in options.parts:
        with hosts.hosts(2, settings, seed=options.seed) as system:
            if "kinds" in options.parts:
                found = hosts.every_kind(system)
                print("right:", ", ".join(f"{count} {kind}" for kind, count in found.items()), flush=True)
            if "cuts" in options.parts:
                done = []
                for one in hosts.cuts(system, options.seconds, options.only):
                    done.append(one)
                    print(hosts.table_of([one]).splitlines()[-1], flush=True)
                print(hosts.table_of(done))
    if "proof" in options.parts:
        proved = proofs.proofs(options.board, options.workers, lambda one: print(one, flush=True))
        print(proofs.table_of(proved))
    return 0


def memory_of_the_api(options: argparse.Namespace) -> int:
    """The documented requests at their limits."""

    def tell(one: memory.Measured) -> None:
        print(f"{one.operation:26} {one.statuses} {one.seconds:6.1f} s {one.mib} MiB, beside {one.beside}", flush=True)

    found = memory.measure(options.only, tell)
    if options.docs:
        memory.write_table(options.docs, found)
    large = [one.operation for one in found if one.mib > memory.MOST_MIB]
    print(f"{len(found)} operations; above {memory.MOST_MIB} MiB: {', '.join(large) or 'none'}")
    return 1 if large or any(status >= 500 for one in found for status in one.statuses) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 1 if a job was lost, done twice or not done."""
    parser = argparse.ArgumentParser(prog="python -m chaos", description="Look for lost and doubled jobs.")
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("simulate", help="random histories of jobs in memory, a million in minutes")
    command.add_argument("--histories", type=int, default=1_000_000)
    command.add_argument("--seed", type=int, default=0, help="of the first history; the others follow")
    command.add_argument("--processes", type=int, default=2)
    command.add_argument("--tell", type=int, metavar="SEED", help="show one history step by step")
    command.set_defaults(run=simulate)
    command = commands.add_parser("services", help="histories of whole services under a virtual clock, a second each")
    command.add_argument("--histories", type=int, default=1000)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--processes", type=int, default=2)
    command.set_defaults(run=services)
    command = commands.add_parser("mutants", help="changes of the rules of jobs: does the simulation notice each?")
    command.add_argument("--histories", type=int, default=HISTORIES)
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--processes", type=int, default=2)
    command.set_defaults(run=mutants)
    command = commands.add_parser("faults", help="fault experiments on the real processes, about a minute each")
    command.add_argument("--repeat", type=int, default=1)
    command.add_argument("--first", type=int, default=0, help="even runs are on SQLite, odd ones on PostgreSQL")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--scale", type=float, default=1.0, help="below 1: fewer faults and jobs")
    command.add_argument("--only", nargs="*", default=[], metavar="NAME", choices=sorted(EXPERIMENTS))
    command.add_argument("--json", type=Path, help="write all results there, too")
    command.add_argument("--docs", type=Path, help="write the table into this page")
    command.set_defaults(run=faults)
    command = commands.add_parser("rounds", help="rounds of one fault, recovery and a check")
    command.add_argument("--rounds", type=int, default=100)
    command.add_argument("--first-round", type=int, default=0, help=f"the database changes every {rounds.LIFE} rounds")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--processes", type=int, default=1, help="systems that run at the same time")
    command.add_argument("--shipped", action="store_true", help="with the default lease and pauses")
    command.add_argument("--hang", action="store_true", help="only processes of `make run` that hang for good")
    command.add_argument("--json", type=Path, help="append each round there, an object a line")
    command.set_defaults(run=fault_rounds)
    command = commands.add_parser(
        "soak", help="full load for some time: memory, files and connections of every process"
    )
    command.add_argument("--minutes", type=float, default=15)
    command.add_argument("--rate", type=float, help="jobs a second at most, if the machine has other work")
    command.add_argument("--seed", type=int, default=0)
    command.add_argument("--json", type=Path, help="write every look at every process there")
    command.set_defaults(run=soak_for)
    command = commands.add_parser("attack", help="hostile connections of every kind at once, while others ask")
    command.add_argument("--connections", type=int, default=1000)
    command.add_argument("--seconds", type=float, default=30)
    command.add_argument("--only", nargs="*", metavar="KIND", choices=[*attack.KINDS])
    command.set_defaults(run=attack_the_api)
    command = commands.add_parser("heads", help="random heads and bodies: read in pieces as at once?")
    command.add_argument("--count", type=int, default=1_000_000)
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=read_heads)
    command = commands.add_parser(
        "memory", help="every documented request at its limits, six at once: the API's memory"
    )
    command.add_argument(
        "--only", nargs="*", default=[], metavar="OPERATION", help="operationIds of the OpenAPI document"
    )
    command.add_argument("--docs", type=Path, help="write the table into this page")
    command.set_defaults(run=memory_of_the_api)
    command = commands.add_parser("hosts", help="every part on a host of its own (network namespaces), each cut off")
    command.add_argument("parts", nargs="*", choices=[*HOSTS_PARTS], default=[*HOSTS_PARTS])
    command.add_argument("--seconds", type=float, default=6, help="how long each host is cut off")
    command.add_argument("--only", nargs="*", default=[], metavar="HOST", help="cut only these off")
    command.add_argument("--shipped", action="store_true", help="with the default lease and pauses")
    command.add_argument("--board", type=int, default=44, help="of Korf's fifty 24-puzzles, for the proof (44)")
    command.add_argument(
        "--workers", type=int, nargs="*", default=[1, 2, 3, 4], help="hosts for the proof, a run each (1 2 3 4)"
    )
    command.add_argument("--seed", type=int, default=0)
    command.set_defaults(run=many_hosts)
    options = parser.parse_args(arguments)
    result: int = options.run(options)
    return result


if __name__ == "__main__":
    sys.exit(main())
