// ID tokens that a provider's tool mints on request: repeated after a failure, and never the same token twice.

import { type BackoffPolicy, nextDelayMs } from "../base/backoff.ts";
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { ProcessNotStartedError, type ProcessRunner, runProcess } from "../base/run-process.ts";
import { isCompactToken } from "./compact-form.ts";
import type { IdentityError } from "./provider.ts";

const MINT_RETRY: BackoffPolicy = { attempts: 4, firstDelayMs: 500, maxDelayMs: 15_000 };
const MINT_TIMEOUT_MS = 20_000;
/** Tokens without an id differ by the second in which they were made. */
const NEXT_SECOND_MS = 1_000;
const SAME_TOKEN_TRIES = 3;

export type ToolOptions = {
  readonly env?: Environment;
  readonly clock: Clock;
  readonly random: () => number;
  /** Executes the tool. Default: a process of this machine. */
  readonly run?: ProcessRunner;
};

type MintCommand = ToolOptions & {
  readonly env: Environment;
  readonly command: string;
  readonly args: (audience: string) => readonly string[];
  /** The errors for a tool that is missing, and for one that gives no token. */
  readonly missing: () => IdentityError;
  readonly failed: () => IdentityError;
};

/** A `mintIdToken` that runs the tool. Rejects with the command's errors, or the signal's reason. */
export function mintByCommand(
  mint: MintCommand,
): (audience: string, signal?: AbortSignal) => Promise<string> {
  let last: string | null = null;
  return async (audience, signal) => {
    for (let tries = 1; ; tries += 1) {
      const token = await runTool(mint, { audience, signal });
      if (token !== last || tries === SAME_TOKEN_TRIES) {
        last = token;
        return token;
      }
      await mint.clock.sleep(NEXT_SECOND_MS, signal);
    }
  };
}

async function runTool(
  mint: MintCommand,
  { audience, signal }: { audience: string; signal: AbortSignal | undefined },
): Promise<string> {
  const { command, env, clock, random, run = runProcess } = mint;
  for (let attempt = 1; ; attempt += 1) {
    const call = { command, args: mint.args(audience), env, timeoutMs: MINT_TIMEOUT_MS, signal };
    const end = await run(call).catch((cause: unknown) => {
      throw cause instanceof ProcessNotStartedError ? mint.missing() : cause;
    });
    const token = end.type === "exited" && end.exitCode === 0 ? end.stdout.toString("utf8").trim() : "";
    if (isCompactToken(token)) return token;
    const delayMs = nextDelayMs(MINT_RETRY, { attempt, random: random() });
    if (delayMs === null) throw mint.failed();
    await clock.sleep(delayMs, signal);
  }
}
