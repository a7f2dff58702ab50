// Bounds the processor time of git where it unfolds what nobody has checked. Where `prlimit` is not there, time bounds it.

import type { Clock } from "../../base/clock.ts";
import { programIn } from "../../base/program-path.ts";
import { CloneLimitError } from "./clone-limits.ts";

/** From SIGXCPU to SIGKILL. */
const GRACE_SECONDS = 5;

type CpuBound = {
  /** Of each process that git starts, too. */
  readonly cpuSeconds: number;
  /** Not bounded unless told. */
  readonly addressSpaceBytes?: number;
};

/** The command that starts git within the bound; null where there is no `prlimit`. */
export async function startWithin(
  environment: Readonly<Record<string, string | undefined>>,
  { cpuSeconds, addressSpaceBytes }: CpuBound,
): Promise<readonly [program: string, ...options: string[]] | null> {
  const prlimit = await programIn(environment.PATH ?? "", "prlimit");
  if (prlimit === null) return null;
  const space = addressSpaceBytes === undefined ? [] : [`--as=${addressSpaceBytes}`];
  return [prlimit, ...space, `--cpu=${cpuSeconds}:${cpuSeconds + GRACE_SECONDS}`, "--"];
}

/** Aborts `signal` so many seconds after `begin`. */
export function timeBound(
  clock: Clock,
  seconds: number,
): { readonly signal: AbortSignal; begin(): void; end(): Promise<void> } {
  const passed = new AbortController();
  const finished = new AbortController();
  let waiting: Promise<void> | null = null;
  return {
    signal: passed.signal,
    begin: () => {
      waiting ??= clock.sleep(seconds * 1000, finished.signal).then(
        () => {
          const message = `its objects took longer than the ${seconds} s that this service unfolds them for`;
          passed.abort(new CloneLimitError("clone_timed_out", message));
        },
        () => {},
      );
    },
    end: async () => {
      finished.abort();
      await waiting;
    },
  };
}
