#!/usr/bin/env bash
# Measures a GPU that nothing else uses, in at most six minutes, for fixtures of the device and of two pairs of programs.
#
#     session.sh FOLDER
#
# It needs python3 with PyTorch, and starts a daemon of MPS of its own for the ways that want one; other settings stay.
# Results lie in FOLDER as soon as they are there, the most telling first; what a second call finds there stays.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
export PYTHONPATH="$here:$here/../demo" PYTHONDONTWRITEBYTECODE=1
DRIVER=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)
export DRIVER
most=360

if echo get_server_list | nvidia-cuda-mps-control > /dev/null 2>&1; then
    echo "a daemon of MPS runs: end it first (echo quit | nvidia-cuda-mps-control)" >&2
    exit 1
fi

# Runs a command for what is left of the time; what it has written by then stays.
within() {
    local left=$((most - SECONDS))
    if [ "$left" -le 5 ]; then
        echo "no time is left for: $*" >&2
        return 0
    fi
    timeout --kill-after=5 "$left" "$@" || echo "ended early or failed: $*" >&2
}

if [ ! -s "$folder/device.jsonl" ]; then
    within python3 "$here/device.py" > "$folder/device.jsonl"
fi
within python3 "$here/session.py" "$folder" time-slice

pipes=$(mktemp -d)
export CUDA_MPS_PIPE_DIRECTORY="$pipes" CUDA_MPS_LOG_DIRECTORY="$pipes"
trap 'echo quit | nvidia-cuda-mps-control > /dev/null 2>&1; rm -rf "$pipes"' EXIT
nvidia-cuda-mps-control -d
for way in mps-30-70 mps-priority mps mps-50-50 mps-70-30; do
    within python3 "$here/session.py" "$folder" "$way"
done
echo quit | nvidia-cuda-mps-control
trap 'rm -rf "$pipes"' EXIT
unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY

within python3 "$here/session.py" "$folder" streams
echo "$SECONDS s; now: raddle calibrate device --from $folder/device.jsonl"
echo "raddle calibrate pair --profile-a $folder/decode.json --profile-b $folder/train.json --from $folder/decode-beside-train.json"
echo "raddle calibrate pair --profile-a $folder/prefill.json --profile-b $folder/convolution.json --from $folder/prefill-beside-convolution.json"
