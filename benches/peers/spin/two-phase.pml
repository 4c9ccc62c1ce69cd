/* What two-phase.mz is, state for state. */
#ifndef N
#define N 8
#endif
/* 0 working 1 prepared 2 committed 3 aborted */
unsigned d : 2;
bit sent[N]; bit known[N]; byte nknown;
active proctype TM() {
  do
  :: atomic { d == 0 && nknown == N -> d = 1 }
  :: atomic { d == 0 -> d = 2 }
  od
}
active [N] proctype RM() {
  unsigned s : 2;
  do
  :: d_step { d == 0 && sent[_pid-1] -> nknown = nknown + (1 - known[_pid-1]); known[_pid-1] = 1 }
  :: d_step { s == 0 -> s = 1; sent[_pid-1] = 1 }
  :: d_step { s == 0 -> s = 3 }
  :: d_step { d == 1 -> s = 2 }
  :: d_step { d == 2 -> s = 3 }
  od
}
