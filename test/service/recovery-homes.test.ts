// The service is killed while an agent works that has no sandbox and hears nothing: the next service finds its home and
// whoever still lives there, and lets neither be.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startCodeHost } from "../../fakes/code-host/code-host.ts";
import { TestRepository } from "../../fakes/code-host/git-repository.ts";
import { exchangeResponseSchema } from "../../src/contract/ci/exchange.ts";
import type { AgentScript } from "../support/acp-agent.ts";
import { type Heard, isAlive } from "../support/fixtures/acp-fixture.ts";
import { ServiceProcess } from "../support/fixtures/service-process.ts";
import { ACP_AGENT } from "../support/run/acp-agent-setup.ts";
import { call } from "../support/service-client.ts";
import { CiJob } from "../support/service-job.ts";
import { onEveryStore } from "../support/stores/on-every-store.ts";

const AUDIENCE = "homes.example";
const content = { type: "text", text: "I write." };
const script: AgentScript = {
  isDeaf: true,
  turn: [
    { do: "scribble", folder: "$HOME/cache" },
    { do: "update", update: { sessionUpdate: "agent_message_chunk", content } },
    { do: "hang" },
  ],
};

onEveryStore((kind) => {
  describe("kill -9 of a service with an agent", () => {
    it("leaves a home and its dwellers to the next service, which ends them", async () => {
      const folder = await mkdtemp(join(tmpdir(), "agent-service-homes-"));
      const repository = new TestRepository(folder, "project.git");
      const sha = repository.commit({ files: { "README.md": "# Project\n" } });
      const codeHost = await startCodeHost({ repositories: { "octo/project": repository.path } });
      const place = await kind.make();
      const { dataDir, databaseUrl } = place.settings;
      await writeFile(join(folder, "script.json"), JSON.stringify(script));
      const environment = { ACP_SCRIPT: join(folder, "script.json"), ACP_HEARD: join(folder, "heard") };
      const start = (backend: "acp" | "noop") =>
        new ServiceProcess(["serve"], {
          PORT: "0",
          DATA_DIR: dataDir,
          ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
          STALLED_SECONDS: "2",
          BACKEND: backend,
          SANDBOX: "off",
          ACP_COMMAND: JSON.stringify([process.execPath, ACP_AGENT]),
          ACP_ENV: JSON.stringify(environment),
          CI_AUDIENCE: AUDIENCE,
          CI_ISSUERS: JSON.stringify([codeHost.issuerEntry]),
        });

      const killed = start("acp");
      const url = await killed.ready();
      const claims = { aud: AUDIENCE, repository: "octo/project", sha };
      const exchanged = await call(`${url}/v1/ci/oidc/exchange`, {
        method: "POST",
        json: { subject_token: codeHost.issuer.sign(codeHost.issuer.githubClaims(claims)) },
      });
      const job = new CiJob({
        fixture: { call: (path, options) => call(url + path, options) },
        exchanged: exchangeResponseSchema.parse(exchanged.body),
      });
      await job.start("Write.");
      const scribbles = await heardOf(environment.ACP_HEARD, "scribbles");
      const { pid } = (await heardOf(environment.ACP_HEARD, "started")) as { pid: number };
      expect((await killed.kill()).signal).toBe("SIGKILL");
      expect(await readdir(join(dataDir, "homes"))).toEqual([expect.stringMatching(/^agent-home-/)]);
      expect(await readdir(join(dataDir, "checkouts"))).toHaveLength(1);
      expect([await isAlive(pid), await isAlive(scribbles)]).toEqual([true, true]);

      // It has no agent with which the run could go on.
      const next = start("noop");
      await next.ready();
      expect([await isAlive(pid), await isAlive(scribbles)]).toEqual([false, false]);
      expect(await readdir(join(dataDir, "homes"))).toEqual([]);
      expect(await readdir(join(dataDir, "checkouts"))).toEqual([]);
      next.signal("SIGTERM");
      const { code, stdout } = await next.ended;
      expect(code).toBe(0);
      expect(stdout).not.toContain('"level":50');

      await codeHost.close();
      await place.remove();
      await rm(folder, { recursive: true, force: true });
    });
  });
});

/** What the agent noted under that name, once it has. */
async function heardOf(path: string, what: string): Promise<unknown> {
  for (;;) {
    const lines = (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, -1);
    const found = lines.map((line) => JSON.parse(line) as Heard).find((line) => line.what === what);
    if (found !== undefined) return found.value;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
