// Cancellation of a job by signals: the runner sends SIGINT, SIGTERM 7.5 s later and SIGKILL 2.5 s after that (on Windows
// Ctrl+C, then Ctrl+Break), to the entry process only.

/** The abort reason of both signals below. */
export class InterruptedError extends Error {
  readonly code = "interrupted";

  constructor(signalName: string) {
    super(`The job was cancelled (${signalName}).`);
    this.name = "InterruptedError";
  }
}

export type Interrupts = {
  /** Aborts at the first signal: end in an orderly way. */
  readonly first: AbortSignal;
  /** Aborts at the second signal: stop at once. */
  readonly last: AbortSignal;
  close(): void;
};

type SignalSource = Pick<NodeJS.Process, "on" | "off">;

/** Listens until closed. Meanwhile a signal does not end the process. */
export function listenForInterrupts(source: SignalSource = process): Interrupts {
  const first = new AbortController();
  const last = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    (first.signal.aborted ? last : first).abort(new InterruptedError(name));
  };
  const names = ["SIGINT", "SIGTERM", "SIGBREAK"] as const;
  for (const name of names) source.on(name, onSignal);
  return {
    first: first.signal,
    last: last.signal,
    close: () => {
      for (const name of names) source.off(name, onSignal);
    },
  };
}
