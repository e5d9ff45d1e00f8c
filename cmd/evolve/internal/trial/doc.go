// Package trial holds no code, only trials of the whole program: its binary is
// built once and started as real processes on real workspaces, which are then
// killed, interrupted, starved of disk, lied to, and compared with what runs that
// nobody disturbed left behind.
package trial
