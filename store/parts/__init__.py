"""Which parts of the service work: each worker and each sweeper notes in the database that it goes on.

note(sessions, "sweeper")                    # after each sweep; mostly only reads
away(session)                                # the parts that nobody has noted lately: ["worker"]
"""

from store.parts.notes import AWAY_SECONDS, PARTS, away, note

__all__ = ["AWAY_SECONDS", "PARTS", "away", "note"]
