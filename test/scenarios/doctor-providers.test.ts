// The built command "doctor" in jobs of the other CI providers, with their real tools' stand-ins and a real issuer.

import { afterEach, describe, expect, it } from "vitest";
import { checkOf, factsOf, fixesOf, pageOf, statesOf } from "../support/doctor-command.ts";
import { CiFixture } from "../support/fixtures/ci-fixture.ts";
import { scriptedBackend } from "../support/scripted-backend.ts";

let fixture: CiFixture | null = null;
afterEach(async () => {
  await fixture?.close();
  fixture = null;
});

type Provider = Parameters<typeof CiFixture.open>[0]["provider"];

async function open(provider: Provider, config = {}): Promise<CiFixture> {
  fixture = await CiFixture.open({ provider, backend: scriptedBackend(async () => {}), config });
  return fixture;
}

async function examine(played: CiFixture, options: Parameters<CiFixture["run"]>[0] = {}) {
  const args = ["--base-url", played.url, "--json"];
  const ended = await played.run({ command: ["doctor"], args, ...options });
  expect(ended.stderr).toBe("");
  return { code: ended.code, page: pageOf({ ...ended, summary: "" }) };
}

describe("agent-service doctor in a job of", () => {
  it.each(["gitlab", "circleci", "buildkite", "bitbucket"] as const)(
    "%s finds no trouble",
    async (provider) => {
      const { code, page } = await examine(await open(provider));
      expect(statesOf(page)).toEqual({
        job: "ok",
        token: "ok",
        service: "ok",
        audience: "ok",
        clock: "ok",
        exchange: "ok",
        identity: "ok",
        quota: "ok",
        runner: "ok",
      });
      expect(code).toBe(0);
    },
  );

  it.each([
    ["gitlab", "id_tokens:\n    AGENT_SERVICE_ID_TOKEN:\n      aud: "],
    ["bitbucket", "oidc:\n        audiences:\n          - "],
  ] as const)("%s without its token names the lines", async (provider, lines) => {
    const played = await open(provider);
    const { code, page } = await examine(played, { hasToken: false });
    expect(code).toBe(1);
    expect(checkOf(page, "token").state).toBe("fault");
    expect(fixesOf(page, "token")).toContain(`${lines}${played.audience}`);
    expect(checkOf(page, "exchange").found).toBe("Not tried: this job has no ID token.");
  });

  it("gitlab says that an earlier step used the token up", async () => {
    const played = await open("gitlab");
    const env = { AGENT_SERVICE_ID_TOKEN: played.mint() };
    const first = await examine(played, { env });
    expect(first.code).toBe(0);
    expect(fixesOf(first.page, "token")).toContain("uses up the job's token");
    const second = await examine(played, { env });
    expect(second.code).toBe(1);
    expect(factsOf(second.page, "exchange").reason).toBe("token_replayed");
    expect(fixesOf(second.page, "exchange")).toContain("An earlier step of this job used its token up");
  });

  it("circleci is sent to no claim that leads nowhere", async () => {
    const { code, page } = await examine(await open("circleci", { freeCredits: 0 }));
    expect(code).toBe(1);
    expect(fixesOf(page, "quota")).toContain("A repository of CircleCI cannot be claimed");
    expect(JSON.stringify(page)).not.toContain("svc_claim_");
  });
});
