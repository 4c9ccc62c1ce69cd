/* What dining.mz is, state for state. */
#ifndef N
#define N 12
#endif
bit f[N];
active [N] proctype P() {
  do
  :: atomic { f[_pid] == 0 -> f[_pid] = 1 };
     atomic { f[(_pid+1)%N] == 0 -> f[(_pid+1)%N] = 1 };
     f[_pid] = 0;
     f[(_pid+1)%N] = 0
  od
}
