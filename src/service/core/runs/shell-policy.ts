// The policy for commands of a repository, which may be executed or not. Pure.

import type { SandboxKind } from "../ports/sandbox.ts";

/** The origin of a run's task, as far as it tells who wrote it. */
export type TaskOrigin =
  | { readonly repository: string; readonly event: string; readonly baseRef: string | null }
  | { readonly repository: null };

/** Whether commands reach the network through the proxy of their run. Elsewhere they have what executes them has. */
export function reachesProxy(kind: SandboxKind): boolean {
  return kind === "bubblewrap" || kind === "kubernetes";
}

type ShellCircumstances = {
  readonly kind: SandboxKind;
  /** The operator has turned the sandbox off. */
  readonly isSandboxOff: boolean;
  readonly isTrusted: boolean;
};

/** True in a sandbox; without one, only for a trusted repository or where the operator has turned the sandbox off. */
export function mayExecute({ kind, isSandboxOff, isTrusted }: ShellCircumstances): boolean {
  return kind !== "none" || isSandboxOff || isTrusted;
}
