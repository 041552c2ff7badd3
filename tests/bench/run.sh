#!/bin/sh
# run.sh: measures opgen against its peers. `make bench` calls it; `tests/bench/run.sh --json` prints JSON.
#
# Builds render_bench from the release objects, puts minijinja into a virtual environment under BUILD (from PyPI, once;
# what is measured without it is told), and lets bench.py do the rest. Options are handed to bench.py.
set -eu

BUILD=${BUILD:-build}
OPGEN=${OPGEN:-$BUILD/opgen}
PYTHON=${PYTHON:-/usr/bin/python3}
CC=${CC:-gcc}
venv=$BUILD/bench/venv

[ -x "$OPGEN" ] && [ -e "$BUILD/obj/release/libopgen.a" ] || {
    echo "bench: there is no $OPGEN; run make first" >&2
    exit 2
}
mkdir -p "$BUILD/bench"
$CC -std=c11 -D_GNU_SOURCE -Igen -O2 -g -Wall -Wextra -Wconversion -Wshadow -o "$BUILD/bench/render_bench" \
    tests/bench/render_bench.c "$BUILD/obj/release/libopgen.a" -lunistring -lgmp -lcjson -lm

minijinja=
if [ ! -x "$venv/bin/python" ]; then
    "$PYTHON" -m venv "$venv" >"$BUILD/bench/venv.log" 2>&1 ||
        python3 -m venv "$venv" >>"$BUILD/bench/venv.log" 2>&1 ||
        echo "bench: cannot make a virtual environment, see $BUILD/bench/venv.log" >&2
fi
if [ -x "$venv/bin/python" ]; then
    "$venv/bin/python" -c 'import minijinja' 2>/dev/null ||
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check minijinja >>"$BUILD/bench/venv.log" 2>&1 ||
        echo "bench: minijinja cannot be installed from PyPI, see $BUILD/bench/venv.log; it is not measured" >&2
    "$venv/bin/python" -c 'import minijinja' 2>/dev/null && minijinja=$venv/bin/python
fi

exec "$PYTHON" -B tests/bench/bench.py --opgen "$OPGEN" --program "$BUILD/bench/render_bench" --minijinja "$minijinja" \
    --work "$BUILD/bench" "$@"
