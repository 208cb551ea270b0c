# A trainer does not go on with a LibTorch of another version than it was built with.

bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || exit 1
  version=$("$DDPTRAIN" --version | sed 's/.* LibTorch //')
}

# libtorch_of VERSION: all of LibTorch in ./torch/lib, its libtorch_cpu.so a copy that says it is VERSION, which has as many
# bytes as the true one. The number stands in the code of GetBuildOptions: its first four bytes in one piece.
libtorch_of() {
  local lib address size at
  lib=$(ldd "$DDPTRAIN" | sed -n 's,.* => \(.*\)/libtorch_cpu.so .*,\1,p')
  mkdir -p torch
  cp -rs "$lib" torch/lib
  ln -s "$lib/../../nvidia" nvidia
  rm torch/lib/libtorch_cpu.so
  cp "$lib/libtorch_cpu.so" torch/lib
  read -r address size < <(nm -DS torch/lib/libtorch_cpu.so | sed -n 's/^\([0-9a-f]*\) \([0-9a-f]*\) T _ZN6caffe215GetBuildOptions.*/\1 \2/p')
  at=$(tail -c "+$((16#$address + 1))" torch/lib/libtorch_cpu.so | head -c "$((16#$size))" | LC_ALL=C grep -obaF "${version:0:4}" | sed 's/:.*//')
  printf '%s' "${1:0:4}" | dd of=torch/lib/libtorch_cpu.so bs=1 seek="$((16#$address + at))" conv=notrunc status=none
}

@test "another LibTorch is named, with the file, before anything is trained" {
  local other=${version/#?./9.}
  libtorch_of "$other"
  cat >config.yaml <<EOF
train:
  max_steps: 1
  model: {name: mlp, input_dim: 8, hidden_dims: [4], num_classes: 3}
  data: {name: synthetic, samples: 32, features: 8, num_classes: 3}
  optimizer: {name: sgd, learning_rate: 0.1}
EOF
  run -0 "$DDPTRAIN" --config config.yaml
  [[ $output == *"step 1/1"* ]]
  export LD_LIBRARY_PATH=$PWD/torch/lib
  run -3 --separate-stderr "$DDPTRAIN" --config config.yaml
  [ -z "$output" ]
  [[ $stderr == *"this program was built with LibTorch $version, but the loaded '$PWD/torch/lib/libtorch_cpu.so' is $other"* ]]
  run -3 --separate-stderr "$DDPTRAIN" --config config.yaml --check-config
  [[ $stderr == *"is $other"* ]]
  run -0 "$DDPTRAIN" --version
}
