#!/bin/bash
# device_test.sh: everything that wants a GPU, on a machine that has one: `make device-test` with what `make bundle` made.
#
#     OPGEN=build/bundle/bin/opgen tests/device/device_test.sh [BACKEND [PARTS]]
#
# Examples against the CPU, every case of tests/ops, the backends of other vendors by way of compat/, and the sanitizer. Each part
# says how many passed; the exit status is 1 if anything failed. Logs are in build/device/.
set -u
cd "$(dirname "$0")/../.." || exit 2
export PATH="$PATH:/usr/local/cuda/bin" OPGEN=${OPGEN:-$PWD/build/bundle/bin/opgen} PYTHONUNBUFFERED=1
backend=${1:-cuda} parts=${2:-dims,large,thin,halves,floats,ints,core} python=${PYTHON:-python3}
out=$PWD/build/device
mkdir -p "$out"
failed=0
part() { # NAME COMMAND...: runs it into a log, shows its end
    local name=$1 start=$SECONDS
    shift
    "$@" >"$out/$name.log" 2>&1
    local status=$?
    [ $status = 0 ] || failed=1
    echo "$name: status $status, $((SECONDS - start)) s: $(tail -n 1 "$out/$name.log" | cut -c1-200)"
    [ $status = 0 ] || grep -A3 "FAILED\|DIFFERS\|error" "$out/$name.log" | cut -c1-300 | head -n 30
}

"$OPGEN" doctor | sed -n '/^devices/,$p'
for model in examples/*/model.json; do
    folder=$(dirname "$model") more=()
    [ -d "$folder/ops" ] && more=(-I "$folder/ops")
    part "verify-$(basename "$folder")" "$OPGEN" verify "$model" "${more[@]}" -b "$backend" --arch native -o "$out/examples"
done
for name in bert vit resnet llama; do
    mkdir -p "$out/models/$name"
    templates=$(dirname "$OPGEN")/../templates
    [ -d "$templates" ] || templates=templates
    cp "examples/$name/model.safetensors" "$out/models/$name/"
    "$OPGEN" render "$templates/models/$name.json.j2" "examples/$name/config.json" >"$out/models/$name/model.json"
    part "verify-$name" "$OPGEN" verify "$out/models/$name/model.json" --weights "$out/models/$name/model.safetensors" -b "$backend" --arch native -o "$out/models"
done
# Names and what each takes, where it is right; speed is bench.py's.
part "bench-launch" "$python" tests/device/bench.py "$backend" --arch native --launch --out "$out/bench"
part "bench-mlp" "$OPGEN" bench examples/mlp/model.json --dim batch=256 -b "$backend" --arch native -o "$out/examples" --time 0.3
part "bench-llama" "$OPGEN" bench "$out/models/llama/model.json" --weights "$out/models/llama/model.safetensors" --dim batch=8 --dim length=16 --dim capacity=128 \
    -b "$backend" --arch native -o "$out/models" --time 0.3
for log in "$out"/bench-*.log; do cat "$log"; done
part "ops-$backend" "$python" tests/device/check_ops.py "$backend" --parts "$parts" --arch sm_90 --out "$out/ops"
for other in hip musa; do
    [ "$other" = "$backend" ] || part "ops-$other" "$python" tests/device/check_ops.py $other --through cuda --parts sample --arch sm_90 --out "$out/$other"
done
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck initcheck; do
        for model in "$out"/ops/{dims0,thin0,large0}; do
            name=$(basename "$model")
            [ -f "$model/lib$name.so" ] || continue
            part "$tool-$name" timeout 300 compute-sanitizer --tool $tool --error-exitcode 1 --print-limit 20 \
                "$out/ops/run_device" "$model/lib$name.so" "$name" "$model/0.in" "$out/0.out"
        done
    done
else
    echo "skipped: there is no compute-sanitizer"
fi
# Beside PyTorch on the device: more elements than 32 bits count, and what goes wrong.
if "$python" -c 'import torch; torch.zeros(1, device="cuda")' 2>/dev/null; then
    part "large" "$python" tests/device/check_large.py "$backend" --out "$out/large"
    part "bad" "$python" tests/device/check_bad.py "$backend" --out "$out/bad"
else
    echo "skipped: large, bad: $python has no PyTorch for the device"
fi
[ $failed = 0 ] && echo "device: ok" || echo "device: FAILED"
exit $failed
