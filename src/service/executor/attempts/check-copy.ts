// Executes the repository's own checks on a fresh copy with the changes of an attempt. Their exit codes are the service's own record.

import type { ChecksEvent } from "../../../contract/runs/checks.ts";
import type { Checkout } from "../../core/checkouts/checkout.ts";
import type { RunEgress } from "../../core/egress/run-egress.ts";
import type { Sandbox } from "../../core/ports/sandbox.ts";
import { mayExecute, reachesProxy, type TaskOrigin } from "../../core/runs/shell-policy.ts";
import type { RepositoryTask, RunEnvironment } from "../backend.ts";
import { CheckRecord } from "../checks/check-record.ts";
import type { ProjectChecks } from "../checks/project-checks.ts";

/** Of one command. */
const MAX_COMMAND_MS = 10 * 60_000;
const MAX_OUTPUT_BYTES = 30_000;

/** Where commands of a run are executed. */
export type CheckSandbox = {
  readonly sandbox: () => Promise<Sandbox>;
  /** Set by the operator. */
  readonly isSandboxOff: boolean;
  readonly isTrusted: (origin: TaskOrigin) => boolean;
};

/** A checkout of the run's commit, with what its setup left. */
export type FreshCopy = {
  readonly checkout: Checkout;
  readonly environment: RunEnvironment;
  close(): Promise<void>;
};

type CheckOptions = {
  readonly place: CheckSandbox;
  readonly copy: FreshCopy;
  readonly project: ProjectChecks;
  readonly origin: Pick<RepositoryTask, "repository" | "event" | "baseRef">;
  readonly egress: RunEgress;
  /** What is left for all of them. */
  readonly leftMs: () => number;
  readonly signal: AbortSignal;
};

const none: ChecksEvent["value"] = { state: "none", results: [] };

/** `none` where the project has no checks that are known, or nothing may be executed for it. */
export async function executeChecks(options: CheckOptions): Promise<ChecksEvent["value"]> {
  const { place, copy, project, origin, egress, leftMs, signal } = options;
  if (project.commands.length === 0) return none;
  const sandbox = await place.sandbox();
  const isTrusted = place.isTrusted(origin);
  if (!mayExecute({ kind: sandbox.kind, isSandboxOff: place.isSandboxOff, isTrusted })) return none;
  const { checkout, environment } = copy;
  const { gitFolder = null, covered, root } = checkout;
  const home = environment.home === null ? {} : { home: environment.home };
  const record = new CheckRecord(project.scripts);
  for (const command of project.commands) {
    signal.throwIfAborted();
    const timeoutMs = Math.min(MAX_COMMAND_MS, Math.max(1, Math.floor(leftMs())));
    const ended = await sandbox.run(
      { root, gitFolder, covered, isTrusted, ...home },
      {
        execute: { shell: command },
        cwd: "",
        env: {},
        egressSocket: reachesProxy(sandbox.kind) ? await egress.socket("agent") : null,
        timeoutMs,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        signal,
      },
    );
    if (!ended.ok) return none;
    record.noteCommand(command, ended.value.exitCode);
  }
  return record.event ?? none;
}
