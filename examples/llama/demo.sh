#!/bin/sh
# demo.sh [FOLDER]: a Llama's config.json becomes a library, and a program generates tokens with it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
opgen=${OPGEN:-$here/../../build/opgen}
made=${1:-$here/../../build/llama}
mkdir -p "$made"
cp "$here/model.safetensors" "$made/"
"$opgen" render models/llama.json.j2 "$here/config.json" -o "$made/llama.json"
"$opgen" compile "$made/llama.json" -o "$made"
${CC:-cc} -std=c11 -Wall -Wextra -I"$made/llama" "$here/main.c" -o "$made/generate" -L"$made/llama" -lllama -Wl,-rpath,"$made/llama" -lm
"$made/generate" "$here"
