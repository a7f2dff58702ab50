// The command asks a whole deployment every statement, from outside: one node on SQLite, two on PostgreSQL.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { needs } from "../../src/conform/kit/statement.ts";
import { DeployedService } from "../support/deployments/deployed-service.ts";
import { deployments } from "../support/deployments/deployments.ts";
import { askForDeployment } from "../support/deployments/deployments-setup.ts";
import { runCommand } from "../support/fixtures/service-process.ts";

/** One node with the store of one file, and two API nodes on one PostgreSQL. */
const asked = deployments.filter(({ name }) => /^one process on SQLite|^two API nodes/.test(name));

describe.each(asked)("agent-service conform, of $name", ({ name, tags }) => {
  describe("asks", { tags: [...tags] }, () => {
    let service: DeployedService;
    let folder: string;

    beforeAll(async () => {
      service = await DeployedService.attach(await askForDeployment(inject("deployments"), name));
      folder = await mkdtemp(join(tmpdir(), "conform-test-"));
    });

    afterAll(async () => {
      await service.detach();
      await rm(folder, { recursive: true, force: true });
    });

    it("every statement of the specification, and each holds", async () => {
      const [mine, theirs] = [await service.account(), await service.account()];
      const { issuer, audience } = service.handle;
      const file = join(folder, "issuer.json");
      const { url, kid, alg, privateKey } = issuer;
      await writeFile(file, JSON.stringify({ issuer: url, audience, kid, alg, private_key: privateKey }));
      const { code, stdout, stderr } = await runCommand(
        ["conform", ...service.apis, "--runs", "--issuer", file, "--json"],
        {
          AGENT_SERVICE_KEY: mine.ownerKey,
          AGENT_SERVICE_OTHER_KEY: theirs.ownerKey,
          AGENT_SERVICE_AI_KEY: mine.aiKey,
        },
      );
      expect(stderr).toContain("What is made is named conform-…");
      const result = JSON.parse(stdout);
      const of = (status: string) =>
        result.statements.filter((one: { status: string }) => one.status === status);
      expect(of("differs")).toEqual([]);
      const reasons = new Set(of("not_asked").map(({ because }: { because: string }) => because));
      expect([...reasons].filter((because) => because !== needs.closed_files)).toEqual([]);
      expect(result.holds).toBe(result.asked);
      expect(result.asked).toBeGreaterThanOrEqual(500);
      expect(result.left).toEqual([]);
      expect(code).toBe(0);
      for (const secret of [mine.ownerKey, mine.aiKey, theirs.ownerKey]) expect(stdout).not.toContain(secret);
    });
  });
});
