#!/usr/bin/env bash
# Measures a decoder at level 0 beside a training at level 5 on one GPU, with and without raddle, in at most four minutes.
#
#     session.sh FOLDER
#
# It needs python3 with PyTorch, `raddle` with the feature `live` in PATH (or named by RADDLE), and libraddle_cuda.so
# beside it (or named by RADDLE_CUDA_LIBRARY). Each result is a line of FOLDER/results.jsonl as soon as it is there, the
# most telling first; what a second call finds there stays. The last lines compare them.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
export PYTHONPATH="$here/../raddle/data/demo" PYTHONDONTWRITEBYTECODE=1 CUBLAS_WORKSPACE_CONFIG=:4096:8
raddle=${RADDLE:-raddle}
results="$folder/results.jsonl"
socket="$folder/socket"
most=240
seconds=${SECONDS_EACH:-15}
daemon=""
trap '[ -z "$daemon" ] || kill "$daemon" 2> /dev/null || true' EXIT

# Runs a command for what is left of the time.
within() {
    local left=$((most - SECONDS))
    if [ "$left" -le 5 ]; then
        echo "no time is left for: $*" >&2
        return 0
    fi
    timeout --kill-after=5 "$left" "$@" || echo "ended early or failed: $*" >&2
}

# case NAME WAY PROGRAM...: runs the programs beside each other, natively or with raddle, and keeps what they print.
case_of() {
    local name=$1 way=$2 program level gate
    shift 2
    if [ -s "$results" ] && grep -q "\"case\": \"$name\"" "$results"; then return; fi
    gate=$(mktemp -d)
    for program in "$@"; do
        level=5
        if [ "$program" = serve ]; then level=0; fi
        if [ "$way" = native ]; then
            within python3 "$here/session.py" "$program" "$name" "$seconds" "$gate" "$#" >> "$folder/new" &
        else
            within "$raddle" live run --socket "$socket" --level "$level" --require ${way#raddle} -- \
                python3 "$here/session.py" "$program" "$name" "$seconds" "$gate" "$#" >> "$folder/new" &
        fi
        running+=($!)
    done
    wait "${running[@]}"
    running=()
    rm -rf "$gate"
    cat "$folder/new" >> "$results"
    rm -f "$folder/new"
}
running=()

rm -f "$folder/new"
"$raddle" live serve --socket "$socket" 2> "$folder/daemon.txt" &
daemon=$!
sleep 0.5
case_of "beside, raddle" raddle serve train
case_of "beside, native" native serve train
case_of "launches, raddle" raddle count
case_of "alone, native" native serve
case_of "training alone, native" native train
case_of "alone, raddle" raddle serve
case_of "training alone, raddle" raddle train
case_of "beside, raddle, window 2" "raddle --window 2" serve train
"$raddle" live status --socket "$socket" > "$folder/status.txt" || true
python3 "$here/session.py" compare "$results"
echo "$SECONDS s"
