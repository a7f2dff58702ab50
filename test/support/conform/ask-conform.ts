// The command asks a deployment every statement, with every key and the issuer that its tests have.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { DeployedAccount, DeployedService } from "../deployments/deployed-service.ts";
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

/** As an operator does, with accounts of its own. `only`: the beginnings of ids. */
export async function askConform(
  service: DeployedService,
  only: readonly string[] = [],
): Promise<AskedDeployment> {
  const [mine, theirs] = [await service.account(), await service.account()];
  const [empty, capped] = [await makeEmpty(service), await service.account("registered_free")];
  const { issuer, audience } = service.handle;
  const { url, kid, alg, privateKey } = issuer;
  const folder = await mkdtemp(join(tmpdir(), "conform-test-"));
  try {
    const file = join(folder, "issuer.json");
    await writeFile(file, JSON.stringify({ issuer: url, audience, kid, alg, private_key: privateKey }));
    const selected = only.flatMap((one) => ["--only", one]);
    const args = ["conform", ...service.apis, "--runs", "--issuer", file, "--json", ...selected];
    const exit = await runCommand(args, {
      AGENT_SERVICE_KEY: mine.ownerKey,
      AGENT_SERVICE_OTHER_KEY: theirs.ownerKey,
      AGENT_SERVICE_AI_KEY: mine.aiKey,
      AGENT_SERVICE_EMPTY_KEY: empty.ownerKey,
      AGENT_SERVICE_CAPPED_KEY: capped.ownerKey,
    });
    const result: AskedDeployment["result"] = JSON.parse(exit.stdout);
    return {
      ...exit,
      result,
      of: (status) => result.statements.filter((one) => one.status === status),
      secrets: [mine.ownerKey, mine.aiKey, theirs.ownerKey, empty.ownerKey, capped.ownerKey],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An account whose credits have gone into runs. */
export async function makeEmpty(service: DeployedService): Promise<DeployedAccount> {
  const account = await service.accountWithAgent("registered_free");
  const { id: userId, owner, agentId } = account;
  while ((await owner.credits.get({ userId })).balance > 0) {
    const { runId } = await owner.runs.submit({ agentId, body: { message: "hello" } });
    for await (const _ of owner.runs.follow({ runId }));
  }
  return account;
}

/** Every statement that could be asked; those that could not are so for these reasons. */
export function expectAllHold(asked: AskedDeployment, ...unmet: readonly string[]): void {
  expect(asked.of("differs")).toEqual([]);
  expect(new Set(asked.of("not_asked").map(({ because }) => because))).toEqual(new Set(unmet));
  expect(asked.result.holds).toBe(asked.result.asked);
  expect(asked.result.left).toEqual([]);
  expect(asked.code).toBe(0);
  for (const secret of asked.secrets) expect(asked.stdout).not.toContain(secret);
}
