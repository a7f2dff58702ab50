// Settings of glibc with which a process gives freed memory back, as the Dockerfile and the unit of systemd have them. A process reads them
// at its start. Why: docs/decisions/139-git-is-started-seldom.md

export const RETURNED_MEMORY = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "16000",
  MALLOC_TRIM_THRESHOLD_: "65536",
} as const;
