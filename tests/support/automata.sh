# shellcheck shell=bash
# Sourced after cli.sh by scripts that need cellular automata: a learned Game of Life, a program with Conway's rule to
# compare it with, and an automaton with random gates.

# learn_life FOLDER: trains the model $life; $solved is 1 if it makes no mistake on any board of 3x3 cells, otherwise 0.
learn_life() {
  solved=0 life=$1/model.bin
  "$GTRAIN" train configs/life.yaml --device "$DEVICE" --quiet --run-dir "$1" > /dev/null
  "$GTRAIN" eval "$life" --device "$DEVICE" --quiet --fail-if 'loss>0' > /dev/null 2>&1 && solved=1
}

# build_conway PROGRAM: compiles `PROGRAM STEPS`, which prints a random board of 128x128 cells after STEPS steps on a
# torus, one row per line.
build_conway() {
  cat > "$1.c" << 'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { N = 128 };
static unsigned char a[N][N], b[N][N];
int main(int argc, char **argv) {
  srand(7);
  for (int i = 0; i < N * N; i++) a[i / N][i % N] = rand() >> 9 & 1;
  for (int s = argc > 1 ? atoi(argv[1]) : 0; s > 0; s--) {
    for (int y = 0; y < N; y++)
      for (int x = 0; x < N; x++) {
        int sum = -a[y][x];
        for (int p = 0; p < 9; p++) sum += a[(y + p / 3 + N - 1) % N][(x + p % 3 + N - 1) % N];
        b[y][x] = sum == 3 || (sum == 2 && a[y][x]);
      }
    memcpy(a, b, sizeof a);
  }
  for (int i = 0; i < N * N; i++) printf("%d%s", a[i / N][i % N], i % N == N - 1 ? "\n" : "");
  return 0;
}
C
  cc -O2 -o "$1" "$1.c"
}

# random_gates FOLDER [OPTION…]: makes an automaton of eight channels with random gates, so that a wrong index in its
# wiring changes the result. It is shallow, and its seed is fixed, because most deep random automata soon give the same
# bits everywhere.
random_gates() {
  local folder=$1
  shift
  "$GTRAIN" train configs/checkerboard_reference.yaml --device "$DEVICE" --quiet --run-dir "$folder" \
    --set train.steps=1 --set model.1.logic_ca.init=normal --set model.1.logic_ca.steps=3 \
    --set 'model.1.logic_ca.update=[136, 68, 34, 17, 9, 8]' --set seed=7 "$@"
}
# random_board: prints a board for it, of 16x16 cells, as one line of digits.
random_board() { awk 'BEGIN { srand(5); for (i = 1; i <= 2048; i++) printf "%d", (rand() < 0.5); print "" }'; }
