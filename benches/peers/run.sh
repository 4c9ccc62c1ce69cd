#!/bin/sh
# Runs the public tests of loom or shuttle over Mazurka's doubles: their sources, unchanged, against a crate of the same name
# in this folder. Where their verdicts differ from ours, and why, is in README.md.
#
#   benches/peers/run.sh loom FOLDER      FOLDER is a checkout of loom
#   benches/peers/run.sh shuttle FOLDER   FOLDER is a checkout of shuttle
#
# The package that is made of them is left in WORK (a folder in /tmp unless it is set); nothing is written into the checkout.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peer=${1:?loom or shuttle}
folder=${2:?the folder of a checkout}
work=${WORK:-$(mktemp -d)}
mkdir -p "$work/src" "$work/tests"
: > "$work/src/lib.rs"
cat > "$work/Cargo.toml" <<EOF
[package]
name = "peer-tests"
version = "0.1.0"
edition = "2021"
[features]
default = ["futures"]
futures = []
[dependencies]
$peer = { path = "$here/$peer" }
[dev-dependencies]
futures-util = "0.3"
futures = "0.3"
test-log = { version = "0.2", default-features = false }
[workspace]
EOF
case $peer in
loom)
    cp "$folder"/tests/*.rs "$work/tests/"
    # A method of loom's own atomics is a trait's here.
    sed 's/^use loom::sync::atomic::AtomicUsize;/use loom::Unsync as _;\n&/' "$folder/tests/atomic.rs" > "$work/tests/atomic.rs"
    ;;
shuttle)
    for file in atomic barrier condvar lazy_static mpsc mutex once rwlock thread; do
        cp "$folder/shuttle/tests/basic/$file.rs" "$work/tests/"
    done
    ;;
*) echo "expected loom or shuttle, not $peer" >&2 && exit 2 ;;
esac
cd "$work"
# Their tests deny warnings, and deprecated names of std are among what they use.
export RUSTFLAGS="--cap-lints=allow ${RUSTFLAGS:-}" MAZURKA_TIME="${MAZURKA_TIME:-20}"
for test in tests/*.rs; do
    name=$(basename "$test" .rs)
    if cargo test --test "$name" --no-run 2> "$work/$name.log"; then
        cargo test --test "$name" --no-fail-fast || true
    else
        echo "$name: not taken, it uses what only $peer has:"
        grep '^error' "$work/$name.log" | sort -u
    fi
done
