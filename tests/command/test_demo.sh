#!/bin/bash
# make demo, without the installing: it ends well, and its three sources say what they should.
. tests/check.sh

run sh examples/render/demo.sh
expect 0 ""
like "the values were checked" "$out" $'*\n    2000 values checked, 0 wrong\n*'
like "the mistake is shown with its mend" "$out" '*mistake.j2:2:4: error*E061*did you mean "inputs"?*'
unlike "a pipe gets no colour" "$out" $'*\033*'
check "CUDA's own names" grep -q cudaGetLastError build/demo_render/add.cu
check "HIP's own names" grep -q hipGetLastError build/demo_render/add.hip
is "no name of one backend in another" "$(grep -l cuda build/demo_render/add.hip build/demo_render/add.c; grep -l hip build/demo_render/add.cu build/demo_render/add.c)" ""
finish
