"""The commands of ``hstar`` that are more than a screenful (`hstar.cli` has the others), and what all of them share."""
