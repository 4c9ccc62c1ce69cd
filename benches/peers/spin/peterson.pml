/* What peterson.mz is, state for state. */
#ifndef N
#define N 4
#endif
byte level[N]; byte last[N];
active [N] proctype P() {
  byte pc, l, k;
  do
  :: d_step { pc == 0 && l < N-1 -> level[_pid] = l+1; pc = 1 }
  :: d_step { pc == 1 -> last[l] = _pid; k = 0; pc = 2 }
  :: d_step { pc == 2 && k < N && last[l] == _pid && (k == _pid || level[k] <= l) -> k++ }
  :: d_step { pc == 2 && (k == N || last[l] != _pid) -> l++; k = 0; pc = 0 }
  :: d_step { pc == 0 && l == N-1 -> level[_pid] = 0; l = 0 }
  od
}
