// `agent-service run --embedded` without a key of its model, in the jobs of every CI provider beside GitHub: where the ID token
// for the model's provider comes from, and what a job with too few of them is told.

import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  bitbucketClaims,
  buildkiteClaims,
  circleciClaims,
  gitlabClaims,
  type ProviderClaimsContext,
} from "../../fakes/issuer/provider-claims.ts";
import {
  type ModelHouse,
  type ModelHouseOptions,
  startModelHouse,
} from "../../fakes/model-house/model-house.ts";
import { trusts } from "../../fakes/model-house/trust.ts";
import { byTurn } from "../../fakes/model-server/script.ts";
import { storyTools } from "../../fakes/model-server/stories.ts";
import { call, say } from "../../fakes/model-server/turn.ts";
import type { Environment } from "../../src/base/environment.ts";
import { bitbucketJob, buildkiteJob, circleciJob, gitlabJob } from "../ci/job-variables.ts";
import { EmbeddedFixture, REPOSITORY } from "../support/fixtures/embedded-fixture.ts";
import { runCommand } from "../support/run/run-command.ts";

const gitlabJobHere = { ...gitlabJob, CI_PROJECT_PATH: REPOSITORY };
const bitbucketJobHere = { ...bitbucketJob, BITBUCKET_REPO_FULL_NAME: REPOSITORY };
const AUDIENCE = trusts.anthropic.audience;
const flags = Object.entries(trusts.anthropic.identifiers).flatMap(([field, id]) => [
  `--anthropic-${field.replaceAll("_", "-")}`,
  id,
]);
/** Of every subject: the providers begin theirs each in another way. */
const trust = { anthropic: { subjectPrefix: "" } };

let fixture: EmbeddedFixture;
let house: ModelHouse;
beforeEach(async () => {
  fixture = await EmbeddedFixture.open({ "README.md": "# Hello\n" });
});
afterEach(async () => {
  await house.close();
  await fixture.close();
});

const open = async (options: Partial<ModelHouseOptions> = {}) => {
  const script = byTurn([storyTools.write("done.txt", "done\n"), say("It is done.")]);
  house = await startModelHouse({ issuer: fixture.codeHost.issuer, script, trust, ...options });
};

type MakeClaims = (context: ProviderClaimsContext) => Record<string, unknown>;

/** Several, no two of which are the same. */
function tokens(make: MakeClaims, count: number): string[] {
  const { issuer } = fixture.codeHost;
  const second = Math.floor(Date.now() / 1000);
  return Array.from({ length: count }, (_, index) => {
    const overrides = { iat: second - index };
    return issuer.sign(make({ issuer: issuer.url, nowMs: Date.now(), audience: AUDIENCE, overrides }));
  });
}

async function run(env: Environment, args: readonly string[] = []) {
  const job = await fixture.job({ idToken: false });
  const cwd = fixture.checkOut(job);
  const home = join(job.env.RUNNER_TEMP ?? "", "temp");
  await mkdir(home);
  const command = ["run", "--embedded", "Do it", "--model", "scripted-model", ...flags, ...args];
  const { code, stdout, stderr } = await runCommand(
    command,
    { CI: "true", TMPDIR: home, ...house.env, ...env },
    { folder: cwd },
  );
  const names = await readdir(join(cwd, "agent-service-output")).catch(() => []);
  const files = await Promise.all(
    names.map((name) => readFile(join(cwd, "agent-service-output", name), "utf8")),
  );
  const seen = [stdout, stderr, ...files].join("\n");
  for (const secret of house.secrets()) expect(seen).not.toContain(secret);
  return { code, stdout, stderr, seen, cwd };
}

/** The provider's own tool, which prints the next of these tokens and keeps what it was asked. */
async function tool(
  name: string,
  given: readonly string[],
): Promise<{ PATH: string; asked(): Promise<string> }> {
  const job = await fixture.job({ idToken: false });
  const folder = job.env.RUNNER_TEMP ?? "";
  await Promise.all(given.map((token, index) => writeFile(join(folder, `token-${index + 1}`), token)));
  const asked = join(folder, "asked");
  const program = join(folder, name);
  await writeFile(
    program,
    `#!/bin/sh\necho "$@" >> "${asked}"\ncat "${folder}/token-$(wc -l < "${asked}" | tr -d ' ')"\n`,
  );
  await chmod(program, 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, asked: () => readFile(asked, "utf8") };
}

describe("a job without a key of its model", () => {
  it("on GitLab has the token in a variable of its own", async () => {
    await open();
    const [token] = tokens(gitlabClaims, 1);
    const { code, stdout, cwd } = await run({ ...gitlabJobHere, AGENT_SERVICE_MODEL_ID_TOKEN: token });
    expect(code).toBe(0);
    expect(stdout).toContain("It is done.");
    expect(await readFile(join(cwd, "done.txt"), "utf8")).toBe("done\n");
    expect(house.exchanges).toMatchObject([{ status: 200, idToken: token }]);
  });

  it("on GitLab shows no token of the job in the environment of the command", {
    tags: ["linux"],
  }, async () => {
    const look = "tr '\\0' '\\n' </proc/$PPID/environ; tr '\\0' '\\n' </proc/$$/environ";
    await open({ script: byTurn([call("run_command", { command: look }), say("I looked around.")]) });
    const [token = ""] = tokens(gitlabClaims, 1);
    const { code, stdout } = await run({
      ...gitlabJobHere,
      SANDBOX: "off",
      CI_JOB_TOKEN: "glcbt-of-the-job-0123456789",
      AGENT_SERVICE_MODEL_ID_TOKEN: token,
    });
    expect(code).toBe(0);
    expect(stdout).toContain("I looked around.");
    const [result] = house.model.toolResults();
    expect(result?.text).toContain("PATH=");
    for (const secret of ["glcbt-of-the-job", token, "***"]) expect(result?.text).not.toContain(secret);
    expect(result?.text).not.toMatch(/^CI_/m);
  });

  it("on GitLab is given the lines for the variable where it has none", async () => {
    await open();
    const { code, seen } = await run(gitlabJobHere);
    expect(code).toBe(1);
    expect(seen).toContain(`AGENT_SERVICE_MODEL_ID_TOKEN:\n      aud: ${AUDIENCE}`);
    expect(house.exchanges).toEqual([]);
  });

  it("on GitLab renews with the second token, and says when there is no third", async () => {
    const late = async () => {
      const { expiresAtMs } = house.exchanges.at(-1) ?? {};
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, (expiresAtMs ?? 0) - Date.now()) + 5));
      return storyTools.write("more.txt", "more\n");
    };
    await open({
      script: byTurn([late, late, late, say("never")]),
      trust: { anthropic: { ...trust.anthropic, lifeSeconds: 1 } },
    });
    const [first, second] = tokens(gitlabClaims, 2);
    const { code, seen } = await run({
      ...gitlabJobHere,
      AGENT_SERVICE_MODEL_ID_TOKEN: first,
      AGENT_SERVICE_MODEL_ID_TOKEN_2: second,
    });
    expect(code).toBe(1);
    expect(house.exchanges.map(({ idToken }) => idToken)).toEqual([first, second]);
    expect(seen).toContain("There is no ID token left for Anthropic");
  });

  it("on CircleCI and Buildkite mints as often as it needs", async () => {
    const jobs = [
      { name: "circleci", job: circleciJob, make: circleciClaims, words: /^run oidc get --claims/ },
      {
        name: "buildkite-agent",
        job: buildkiteJob,
        make: buildkiteClaims,
        words: /^oidc request-token --audience/,
      },
    ];
    for (const { name, job, make, words } of jobs) {
      await open();
      const { PATH, asked } = await tool(name, tokens(make, 3));
      const { code, stdout } = await run({ ...job, PATH });
      expect(stdout).toContain("It is done.");
      expect(code).toBe(0);
      expect(await asked()).toMatch(words);
      expect(await asked()).toContain(AUDIENCE);
      expect(house.exchanges).toMatchObject([{ status: 200 }]);
      if (name === "circleci") await house.close();
    }
  });

  it("on Bitbucket has the step's one token where no service takes it", async () => {
    await open();
    const [token] = tokens(bitbucketClaims, 1);
    const own = { ...bitbucketJobHere, BITBUCKET_STEP_OIDC_TOKEN: token };
    const { code, stdout } = await run(own);
    expect(stdout).toContain("It is done.");
    expect(code).toBe(0);
    const { code: refused, stderr } = await runCommand(
      ["run", "--base-url", "https://agents.example.com", "Do it", "--model", "m", ...flags],
      { CI: "true", ...own },
    );
    expect(refused).toBe(1);
    expect(stderr).toContain("A step of Bitbucket has one ID token, and the service takes it");
  });

  it("is refused beside a key, outside of a job, and with what does not go together", async () => {
    await open();
    const [token = ""] = tokens(gitlabClaims, 1);
    const job = { ...gitlabJobHere, AGENT_SERVICE_MODEL_ID_TOKEN: token };
    const beside = await run({ ...job, MODEL_API_KEY: "sk-ant-api03-0123456789" });
    expect([beside.code, beside.stderr]).toEqual([
      2,
      expect.stringContaining("MODEL_API_KEY and the identifiers of Anthropic exclude each other"),
    ]);
    const local = await run({ CI: undefined });
    expect([local.code, local.stderr]).toEqual([
      1,
      expect.stringContaining("Elsewhere give the key of Anthropic"),
    ]);
    const other = await run(job, ["--openai-service-account-id", "user-1"]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining("a run has one model provider")]);
    const address = await run(job, ["--model-base-url", "https://else.example"]);
    expect([address.code, address.stderr]).toEqual([
      2,
      expect.stringContaining("https://api.anthropic.com/v1 alone"),
    ]);
    expect(house.exchanges).toEqual([]);
  });

  it("with a service is refused before anything is sent: over plain http, and detached", async () => {
    await open();
    const [token = ""] = tokens(gitlabClaims, 1);
    const env = { CI: "true", ...gitlabJobHere, AGENT_SERVICE_MODEL_ID_TOKEN: token };
    for (const [args, words] of [
      [["--base-url", "http://agents.example.com"], "--base-url is plain http"],
      [
        ["--base-url", "https://agents.example.com", "--on-cancel", "detach"],
        "--on-cancel detach ends the job too early",
      ],
    ] as const) {
      const { code, stderr } = await runCommand(["run", "Do it", "--model", "m", ...flags, ...args], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
    }
    expect(house.tunnels).toEqual([]);
  });
});
