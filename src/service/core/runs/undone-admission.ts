// The reasons for which the transaction of an admission is undone: one that is tried again, and a refusal.

import type { SubmitRefusal } from "./refusals.ts";

/** Another node took the key after it was read: everything is undone, and the next try returns that node's run. */
export class KeyTakenError extends Error {
  readonly key: string;

  constructor(key: string) {
    super("The idempotency key was taken meanwhile.");
    this.key = key;
  }
}

/** The submission is refused after something was written: everything is undone. */
export class UndoneError extends Error {
  readonly refusal: SubmitRefusal;

  constructor(refusal: SubmitRefusal) {
    super("The submission is refused.");
    this.refusal = refusal;
  }
}
