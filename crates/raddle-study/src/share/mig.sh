#!/bin/sh
# Cuts GPU 0 into MIG instances, and prints which program runs on which. It needs root, and a GPU
# that no process uses. To undo it:
@UNDO@
set -eu
# Instances that are there already would be counted with those that are made here.
if nvidia-smi -L | awk '$1 == "GPU" { gpu = $2 } gpu == "0:" && $1 == "MIG" { found = 1 } END { exit !found }'; then
    echo "GPU 0 has MIG instances already (nvidia-smi -L): remove them first, as above" >&2
    exit 1
fi
nvidia-smi -i 0 -mig 1 >&2
# -C makes a compute instance in each, as `nvidia-smi mig -i 0 -cci` does afterwards.
nvidia-smi mig -i 0 -cgi @PROFILES@ -C >&2

# instance PROFILE N: prints the UUID of the Nth instance of a profile on GPU 0.
instance() {
    found=$(nvidia-smi -L | awk -v profile="$1" -v number="$2" '
        $1 == "GPU" { gpu = $2 }
        gpu == "0:" && $1 == "MIG" && $2 == profile && ++seen == number {
            sub(/.*UUID: /, ""); sub(/[)].*/, ""); print
        }')
    if [ -z "$found" ]; then
        echo "nvidia-smi -L names no instance $2 of $1 on GPU 0" >&2
        exit 1
    fi
    echo "$found"
}

@TENANTS@
