"""The commands of ``hstar``, which `hstar.cli` names, and what they share: `terminal`, `answer`, `tables`."""
