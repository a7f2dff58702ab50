// The output of a process of git, as it is read: git waits while nobody reads.

import type { Git, GitCall } from "../../base/git/git.ts";

/** Bytes that are kept for the reader before git has to wait. */
export const MAX_WAITING_BYTES = 1024 * 1024;

/**
 * The output in pieces. A reader that leaves early ends the process; the process has ended when the iteration has. Throws at
 * its end what `git` rejects with.
 */
export async function* streamOutput(
  git: Git,
  call: Omit<GitCall, "onOutput">,
): AsyncGenerator<Buffer, void, undefined> {
  const left = new AbortController();
  const signal = AbortSignal.any([call.signal, left.signal]);
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let wakeReader: (() => void) | null = null;
  let wakeGit: (() => void) | null = null;
  let hasEnded = false;
  const release = () => {
    wakeGit?.();
    wakeGit = null;
  };
  signal.addEventListener("abort", release, { once: true });
  const ended = git({
    ...call,
    signal,
    onOutput: (chunk): Promise<void> | undefined => {
      if (signal.aborted) return;
      waiting.push(chunk);
      waitingBytes += chunk.length;
      wakeReader?.();
      if (waitingBytes < MAX_WAITING_BYTES || wakeGit !== null) return;
      return new Promise<void>((resolve) => {
        wakeGit = resolve;
      });
    },
  }).finally(() => {
    hasEnded = true;
    wakeReader?.();
  });
  // It is awaited below, on every way out.
  ended.catch(() => {});
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        waitingBytes -= chunk.length;
        if (waitingBytes < MAX_WAITING_BYTES) release();
        yield chunk;
      } else if (hasEnded) {
        break;
      } else {
        await new Promise<void>((resolve) => {
          wakeReader = resolve;
        });
        wakeReader = null;
      }
    }
    await ended;
  } finally {
    left.abort();
    await ended.catch(() => {});
    signal.removeEventListener("abort", release);
  }
}
