#!/usr/bin/env bash
# Runs the C frontend over public benchmarks that stand in a folder which the user names, and compares numbers of executions.
# Nothing of these benchmarks is a part of this project. Expected in the folder, as far as they are there:
#
#   genmc/tests                GenMC's tests: executions under sequential consistency stand in `expected.sc.mo.in`
#   nidhugg/benchmarks, nidhugg/tests/smoke/C-tests
#   event/benchmarks/event-driven   the benchmarks of Event-DPOR, with qthread.h
#   poet/benchmarks/concur15/nidhugg
#   goblint/concrat/race-challenges
#   dat3m/benchmarks
#   include                    headers that these need and the machine does not have, such as genmc.h
#
# benches/c-corpora.sh FOLDER [SECONDS]
#
# Prints one line for each program, and at the end how many were verified, violated, stopped, unsupported or refused by
# clang, which functions were not modelled, and how many counts are the same.
set -uo pipefail

corpora=${1:?the folder with the benchmarks}
seconds=${2:-2}
mazurka=${MAZURKA:-$(dirname "$0")/../target/release/mazurka}
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# check SET FILE ENGINE [EXPECTED] [clang options]
check() {
    local set=$1 file=$2 engine=$3 expected=$4 output verdict executions why=
    shift 4
    output=$("$mazurka" check "$file" --engine "$engine" --all --time-limit "${seconds}s" --threads 1 --nondet 0..2 --format json -- -I"$corpora/include" "$@" 2>&1)
    case $? in
        # Stopped, and unsupported, are answers, too.
        0 | 1 | 3 | 4 | 5) ;;
        *) printf '%s\t%s\trefused\t-\t%s\t%s\n' "$set" "$file" "$expected" "$(head -1 <<<"$output")" >>"$results"; return ;;
    esac
    verdict=$(grep -o '"verdict": *"[a-z]*"' <<<"$output" | head -1 | sed 's/.*"\([a-z]*\)"/\1/')
    executions=$(grep -o '"executions": *[0-9]*' <<<"$output" | head -1 | grep -o '[0-9]*$')
    why=$(grep -o '[A-Za-z0-9_.]* is not modelled' <<<"$output" | head -1)
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$set" "$file" "${verdict:-none}" "${executions:--}" "$expected" "$why" >>"$results"
}

for test in "$corpora"/genmc/tests/correct/{litmus,synthetic,data-structures}/*/; do
    [[ -f $test/expected.sc.mo.in ]] || continue
    number=0
    for file in "$test"variants/*.c; do
        [[ -f $file ]] || continue
        number=$((number + 1))
        # Where there are several lines of arguments, a line belongs to one of them, else to one of the variants.
        lines=$(grep -c '|' "$test/args.sc.mo.in" 2>/dev/null || echo 1)
        line=$([[ $lines -gt 1 ]] && echo 1 || echo "$number")
        expected=$(sed -n "${line}p" "$test/expected.sc.mo.in" | awk '{ print $1 }')
        options=$(sed -n 1p "$test/args.sc.mo.in" 2>/dev/null | sed 's/^[^|]*|//')
        # shellcheck disable=SC2086
        check genmc "$file" optimal "${expected:--}" $options
    done
done
for file in "$corpora"/nidhugg/benchmarks/{SV-COMP,from_*,synthetic}/*.c "$corpora"/nidhugg/tests/smoke/C-tests/*.c; do
    [[ -f $file ]] && check nidhugg "$file" optimal - -DN=3
done
for file in "$corpora"/event/benchmarks/event-driven/{,*/}*.c; do
    [[ -f $file ]] && check event "$file" event - -DN=3 -I"$corpora/event/benchmarks/event-driven"
done
for file in "$corpora"/poet/benchmarks/concur15/nidhugg/*.c; do
    [[ -f $file ]] && check poet "$file" optimal -
done
for file in "$corpora"/goblint/concrat/race-challenges/*.c; do
    [[ -f $file ]] && check goblint "$file" optimal -
done
for file in "$corpora"/dat3m/benchmarks/{ck,imm,lfds,locks,miscellaneous,mixed,nontermination,progress,rc11}/*.c; do
    [[ -f $file ]] && check dat3m "$file" optimal - -I"$corpora/dat3m/include"
done

awk -F '\t' '{ print $1, $2, $3, $4, $5, $6 }' "$results"
echo
awk -F '\t' '{ count[$1 "\t" $3]++ } END { for (i in count) print count[i] "\t" i }' "$results" | sort -k2
echo
awk -F '\t' '$6 != "" { count[$6]++ } END { for (i in count) print count[i] "\t" i }' "$results" | sort -rn | head -40
echo
awk -F '\t' '$5 ~ /^[0-9]+$/ && $3 == "verified" { all++; if ($4 == $5) same++; else print "differs:", $2, $4, "instead of", $5 }
    END { print same + 0 " of " all + 0 " counts are the same" }' "$results"
