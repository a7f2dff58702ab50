// The command asks a deployment every statement, with every key and the issuer that its tests have.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { DeployedService } from "../deployments/deployed-service.ts";
import type { Exit } from "../fixtures/service-process.ts";
import { runCommand } from "../run/run-command.ts";

type Outcome = { readonly id: string; readonly status: string; readonly because?: string };

export type AskedDeployment = Exit & {
  readonly result: {
    readonly holds: number;
    readonly asked: number;
    readonly left: readonly string[];
    readonly statements: readonly Outcome[];
  };
  /** Those that became of statements so. */
  readonly of: (status: "holds" | "differs" | "not_asked") => readonly Outcome[];
  readonly secrets: readonly string[];
};

/** As an operator does, with accounts of its own. */
export async function askConform(service: DeployedService): Promise<AskedDeployment> {
  const [mine, theirs] = [await service.account(), await service.account()];
  const { issuer, audience } = service.handle;
  const { url, kid, alg, privateKey } = issuer;
  const folder = await mkdtemp(join(tmpdir(), "conform-test-"));
  try {
    const file = join(folder, "issuer.json");
    await writeFile(file, JSON.stringify({ issuer: url, audience, kid, alg, private_key: privateKey }));
    const exit = await runCommand(["conform", ...service.apis, "--runs", "--issuer", file, "--json"], {
      AGENT_SERVICE_KEY: mine.ownerKey,
      AGENT_SERVICE_OTHER_KEY: theirs.ownerKey,
      AGENT_SERVICE_AI_KEY: mine.aiKey,
    });
    const result: AskedDeployment["result"] = JSON.parse(exit.stdout);
    return {
      ...exit,
      result,
      of: (status) => result.statements.filter((one) => one.status === status),
      secrets: [mine.ownerKey, mine.aiKey, theirs.ownerKey],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Every statement that could be asked; those that could not are so for one reason. */
export function expectAllHold(asked: AskedDeployment, unmet: string): void {
  expect(asked.of("differs")).toEqual([]);
  expect(new Set(asked.of("not_asked").map(({ because }) => because))).toEqual(new Set([unmet]));
  expect(asked.result.holds).toBe(asked.result.asked);
  expect(asked.result.left).toEqual([]);
  expect(asked.code).toBe(0);
  for (const secret of asked.secrets) expect(asked.stdout).not.toContain(secret);
}
