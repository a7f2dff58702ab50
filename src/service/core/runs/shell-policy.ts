// Whether a repository's commands may be executed. Pure.

import type { SandboxKind } from "../ports/sandbox.ts";

export type ShellCircumstances = {
  readonly kind: SandboxKind;
  /** The operator said to do without a sandbox. */
  readonly isSandboxOff: boolean;
  readonly isTrusted: boolean;
};

/** True in a sandbox; without one, only for a trusted repository or at the operator's word. */
export function mayExecute({ kind, isSandboxOff, isTrusted }: ShellCircumstances): boolean {
  return kind !== "none" || isSandboxOff || isTrusted;
}
