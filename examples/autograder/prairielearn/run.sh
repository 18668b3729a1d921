#!/usr/bin/env bash
# PrairieLearn runs this in an image that has hstar (see Dockerfile); the question mounts /grade.
set -euo pipefail
root=${GRADE_ROOT:-/grade}
hstar=${HSTAR:-hstar}
mkdir -p "$root/results"
for name in submission.zip results.json results.jsonl results.csv; do
  if [ -f "$root/student/$name" ]; then
    exec "$hstar" grade "$root/student/$name" --assignment "$root/tests/assignment.json" \
      --format prairielearn --output "$root/results/results.json"
  fi
done
printf '%s\n' '{"gradable": false, "message": "there is no results.json, results.jsonl, results.csv or submission.zip",' \
  '"format_errors": ["nothing to grade was submitted"]}' > "$root/results/results.json"
