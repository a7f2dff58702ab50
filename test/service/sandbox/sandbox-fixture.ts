// A data folder with a checkout of one run and one of another, and the sandbox to attack them from.

import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../../../src/base/clock.ts";
import type { Logger } from "../../../src/base/log.ts";
import type {
  Sandbox,
  SandboxCommand,
  SandboxedCheckout,
  SandboxRefusal,
  SandboxResult,
} from "../../../src/service/core/ports/sandbox.ts";
import { findSandbox } from "../../../src/service/sandbox/find-sandbox.ts";
import {
  decodeSandbox,
  type SandboxConfig,
  type SandboxLimits,
} from "../../../src/service/sandbox/sandbox-config.ts";

export const SECRET = "s3cret-of-the-service";

export type SandboxFixtureOptions = {
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<SandboxLimits>;
  readonly config?: Partial<SandboxConfig>;
  readonly clock?: Clock;
};

type CommandChanges = Partial<Omit<SandboxCommand, "execute">>;

export class SandboxFixture {
  /** As the service's own folder would be: the database, and each run's checkout. */
  readonly dataDir: string;
  readonly checkout: SandboxedCheckout;
  readonly lines: string[] = [];

  constructor() {
    this.dataDir = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-test-")));
    writeFileSync(join(this.dataDir, "agent-service.sqlite"), SECRET);
    const own = join(this.dataDir, "checkouts", "run-1.ws-aaaaaa");
    const other = join(this.dataDir, "checkouts", "run-2.ws-bbbbbb");
    for (const folder of [own, other]) mkdirSync(join(folder, "tree"), { recursive: true });
    writeFileSync(join(other, "tree", "file.txt"), SECRET);
    this.checkout = { root: join(own, "tree"), gitFolder: null, isTrusted: false };
  }

  get otherRun(): string {
    return join(this.dataDir, "checkouts", "run-2.ws-bbbbbb", "tree", "file.txt");
  }

  config(options: SandboxFixtureOptions = {}): SandboxConfig {
    const environment = { PATH: process.env.PATH ?? "", DATABASE_PASSWORD: SECRET, ...options.environment };
    const decoded = decodeSandbox(environment, this.dataDir);
    if (!decoded.ok) throw new Error(decoded.refusal.join("\n"));
    const limits = { ...decoded.value.limits, ...options.limits };
    return { ...decoded.value, limits, ...options.config };
  }

  find(options: SandboxFixtureOptions = {}): Promise<Sandbox> {
    return findSandbox(this.config(options), this.log, { clock: options.clock ?? systemClock });
  }

  /** What the service would log, level first. */
  get log(): Logger {
    const at = (level: string) => (_: unknown, message: string) =>
      void this.lines.push(`${level} ${message}`);
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: () => this.log,
    };
  }

  async result(
    sandbox: Sandbox,
    shell: string,
    changes: CommandChanges & { checkout?: Partial<SandboxedCheckout> } = {},
  ): Promise<SandboxResult> {
    const { checkout, ...command } = changes;
    const result = await sandbox.run({ ...this.checkout, ...checkout }, { ...commandOf(shell), ...command });
    if (!result.ok) throw new Error(result.refusal.detail);
    return result.value;
  }

  async refusal(sandbox: Sandbox, shell: string, changes: CommandChanges = {}): Promise<SandboxRefusal> {
    const result = await sandbox.run(this.checkout, { ...commandOf(shell), ...changes });
    if (result.ok) throw new Error("Was not refused.");
    return result.refusal;
  }

  close(): Promise<void> {
    return rm(this.dataDir, { recursive: true, force: true });
  }
}

function commandOf(shell: string): SandboxCommand {
  return {
    execute: { shell },
    cwd: "",
    env: {},
    egressSocket: null,
    timeoutMs: 50_000,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
  };
}

const RUN_ID = randomUUID();

/** A word for a command's arguments that nobody else's tests on this machine use at the same time. */
export function marked(what: string): string {
  return `${what}-${RUN_ID}`;
}

/** The processes of this machine that have `marker` among their arguments. */
export async function processesWith(marker: string): Promise<string[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const id of ids) {
    const line = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
    if (line.includes(marker)) found.push(`${id}: ${line.replaceAll("\0", " ")}`);
  }
  return found;
}

/** Waits until `check` holds; the test's own timeout ends it. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise(setImmediate);
}
