#!/bin/sh
# `exhaustive` beside SPIN on the models in spin/, which are the same state for state, in one run: states, transitions,
# seconds. SPIN searches without partial-order reduction (-O2 -DSAFETY -DNOREDUCE) and with a table that is large enough.
#
#   benches/peers/spin.sh [ROUNDS]      MAZURKA is the command, CC the C compiler
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mazurka=${MAZURKA:-mazurka}
rounds=${1:-3}
work=$(mktemp -d)
cd "$work"
for model in dining:12 dining:13 two-phase:8 peterson:4; do
    name=${model%:*} size=${model#*:}
    spin -a -DN="$size" "$here/spin/$name.pml"
    ${CC:-cc} -O2 -DSAFETY -DNOREDUCE -w -o pan pan.c
    for round in $(seq "$rounds"); do
        ./pan -E -w24 -m5000000 | awk -v what="$name($size)  spin      " '
            /states, stored/ { states = $1 } /transitions \(/ { transitions = $1 } /elapsed time/ { seconds = $4 }
            END { print what, states, transitions, seconds }'
        for threads in 1 2; do
            "$mazurka" check "$here/spin/$name.mz" -D N="$size" --engine exhaustive --all --threads "$threads" --format json |
                tr ',{' '\n\n' | tr -d ' "' | awk -F: -v what="$name($size)  mazurka($threads)" '
                    $1 == "states" { states = $2 } $1 == "transitions" { transitions = $2 } $1 == "seconds" { seconds = $2 }
                    END { print what, states, transitions, seconds }'
        done
    done
done
rm -r "$work"
