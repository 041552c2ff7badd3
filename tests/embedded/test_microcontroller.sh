#!/bin/bash
# examples/microcontroller: the image is what the README says, and computes on a Cortex-M4 what NumPy does.
. tests/check.sh
for tool in arm-none-eabi-gcc qemu-system-arm; do
    if ! command -v $tool >/dev/null; then
        echo "$tool is not installed: nothing is run on a Cortex-M4"
        exit 77
    fi
done
cp -R examples "$work/examples" || exit 2
run make -C "$work/examples/microcontroller" --no-print-directory OPGEN="$(realpath "$OPGEN")" BUILD=build image
expect 0 ""
size=$(arm-none-eabi-size "$work/examples/microcontroller/build/image.elf" | tail -n 1)
check "it is small" test "$(awk '{print ($1 < 43000 && $2 == 0 && $3 < 5000)}' <<<"$size")" = 1
is "nothing is called that is not there" "$(arm-none-eabi-nm "$work/examples/microcontroller/build/image.elf" | grep -c ' U ')" 0
wanted=$(/usr/bin/python3 - "$work/examples/mlp/mlp.safetensors" <<'PYTHON'
import json, sys
import numpy as np
data = open(sys.argv[1], "rb").read()
end = 8 + int.from_bytes(data[:8], "little")
w = {name: np.frombuffer(data, "<f4", int(np.prod(one["shape"])), end + one["data_offsets"][0]).reshape(one["shape"]).astype("f8")
     for name, one in json.loads(data[8:end]).items() if name != "__metadata__"}
x = ((np.arange(128) * 7 % 31 - 15) / 16).reshape(2, 64)
a = x @ w["w1"].T + w["b1"]
logits = a * (1 + np.tanh(np.sqrt(2 / np.pi) * (a + 0.044715 * a**3))) / 2 @ w["w2"].T + w["b2"]
for row, best in enumerate(logits.argmax(1)):
    print(f"row {row}: class {best}")
print("right")
PYTHON
)
run timeout 60 qemu-system-arm -M mps2-an386 -nographic -semihosting -kernel "$work/examples/microcontroller/build/image.elf"
expect 0
is "as NumPy has it" "$(tr -d '\r' <<<"$out$err" | sed '/^$/d')" "$wanted"
finish
