// How processes of tests take their memory, and where nodes and the command find what was compiled before.

/** They hold much, and start others: a fork copies one entry for a huge page, of 2 MB, in the place of 512. */
export const HUGE_PAGES = { MALLOC_ARENA_MAX: "1", GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };

/** Names the folder to the processes that run tests. Not Node's own variable: it would hold for those too. */
export const COMPILED_VARIABLE = "TEST_COMPILE_CACHE";

/** What a process of the command, or of a node, gets in its environment. */
export function nodeEnvironment(): Readonly<Record<string, string>> {
  const folder = process.env[COMPILED_VARIABLE];
  return folder === undefined ? HUGE_PAGES : { ...HUGE_PAGES, NODE_COMPILE_CACHE: folder };
}
