import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Environment } from "../../src/base/environment.ts";
import { createBuildkiteProvider } from "../../src/ci/buildkite.ts";
import { createCircleCiProvider } from "../../src/ci/circleci.ts";
import { instantClock } from "../support/clocks/instant-clock.ts";
import { buildkiteJob, circleciJob, putTool, SHA, tokenFor } from "./job-variables.ts";

const AUDIENCE = 'agents.example.com"; $(touch x)';
const TOKEN = tokenFor(AUDIENCE);

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "minted-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const kinds = {
  circleci: {
    command: "circleci",
    job: circleciJob,
    create: createCircleCiProvider,
    args: ["run", "oidc", "get", "--claims", JSON.stringify({ aud: AUDIENCE })],
  },
  buildkite: {
    command: "buildkite-agent",
    job: buildkiteJob,
    create: createBuildkiteProvider,
    args: [
      "oidc",
      "request-token",
      "--audience",
      AUDIENCE,
      "--claim",
      "organization_id",
      "--claim",
      "pipeline_id",
    ],
  },
};

describe.each(Object.entries(kinds))("a job of %s", (_name, { command, job, create, args }) => {
  const start = (env: Environment = {}) => {
    const clock = instantClock();
    const provider = create({
      env: { ...job, PATH: `${folder}:${process.env.PATH}`, FOLDER: folder, ...env },
      clock,
      random: () => 0,
    });
    return { provider, clock };
  };
  const put = (script: string) => putTool(folder, { name: command, script });

  it("runs its tool with the audience as one argument, and takes what it prints", async () => {
    await put(`for word in "$@"; do echo "$word" >> "$FOLDER/args"; done\necho '${TOKEN}'`);
    expect(await start().provider.mintIdToken(AUDIENCE)).toBe(TOKEN);
    expect((await readFile(join(folder, "args"), "utf8")).trimEnd().split("\n")).toEqual(args);
  });

  it("tries again when the tool fails, or prints something else", async () => {
    await writeFile(join(folder, "count"), "");
    await put(`
      echo x >> "$FOLDER/count"
      case $(wc -l < "$FOLDER/count") in
        1) echo "no connection" >&2; exit 1 ;;
        2) echo "a new version is there" ;;
        *) echo '${TOKEN}' ;;
      esac`);
    const { provider, clock } = start();
    expect(await provider.mintIdToken(AUDIENCE)).toBe(TOKEN);
    expect(clock.sleeps).toEqual([250, 500]);
  });

  it("fails after the last attempt, says what to do, and repeats no output of the tool", async () => {
    await put(`echo "half.a.secret"; echo "secret" >&2; exit 3`);
    const { provider, clock } = start();
    const caught = await provider.mintIdToken(AUDIENCE).catch((error: unknown) => error);
    expect(caught).toMatchObject({ code: "id_token_failed", message: expect.stringContaining(command) });
    expect(String(caught)).not.toContain("secret");
    expect(clock.sleeps).toHaveLength(3);
  });

  it("says what is missing when the tool is not there, at once", async () => {
    const { provider, clock } = start({ PATH: folder });
    const caught = await provider.mintIdToken(AUDIENCE).catch((error: unknown) => error);
    expect(caught).toMatchObject({
      code: "id_token_unavailable",
      message: expect.stringContaining(`"${command}"`),
    });
    expect(clock.sleeps).toEqual([]);
  });

  it("never gives one token twice: those of one second are the same", async () => {
    await writeFile(join(folder, "count"), "");
    await put(`
      echo x >> "$FOLDER/count"
      [ $(wc -l < "$FOLDER/count") -lt 3 ] && echo '${TOKEN}' || echo '${tokenFor(AUDIENCE, "2")}'`);
    const { provider, clock } = start();
    expect(await provider.mintIdToken(AUDIENCE)).toBe(TOKEN);
    expect(await provider.mintIdToken(AUDIENCE)).toBe(tokenFor(AUDIENCE, "2"));
    expect(clock.sleeps).toEqual([1000]);
  });

  it("stops at a signal, before and while the tool runs", async () => {
    await put(`mkfifo "$FOLDER/pipe" 2>/dev/null; echo > "$FOLDER/started"; exec cat "$FOLDER/pipe"`);
    const early = AbortSignal.abort(new Error("cancelled"));
    await expect(start().provider.mintIdToken(AUDIENCE, early)).rejects.toThrow("cancelled");
    const stop = new AbortController();
    const minting = start().provider.mintIdToken(AUDIENCE, stop.signal);
    await expect.poll(() => readFile(join(folder, "started"), "utf8").catch(() => null)).toBe("\n");
    stop.abort(new Error("stopped"));
    await expect(minting).rejects.toThrow("stopped");
  });
});

describe("a CircleCI job", () => {
  const provider = (env: Environment) =>
    createCircleCiProvider({ env: { ...circleciJob, ...env }, clock: instantClock(), random: () => 0 });

  it("is known by its variables", () => {
    expect(provider({}).job).toEqual({
      provider: "circleci",
      repository: { id: "2b1d7c33-5a55-4a0e-8a41-4c7d0d7c1b22", name: "octo-org/octo-repo" },
      event: "push",
      sha: SHA,
      runId: "3e1d7c33-5a55-4a0e-8a41-4c7d0d7c1b23",
      attempt: null,
      job: "agent",
      step: "1",
    });
    expect(provider({ CIRCLE_PULL_REQUEST: "https://github.com/octo-org/octo-repo/pull/7" }).job.event).toBe(
      "pull_request",
    );
  });

  it("of a fork's pull request says so when it gets no token", async () => {
    await putTool(folder, { name: "circleci", script: "exit 1" });
    const fork = provider({ PATH: `${folder}:${process.env.PATH}`, CIRCLE_PR_NUMBER: "7" });
    expect(fork.job.event).toBe("pull_request");
    await expect(fork.mintIdToken(AUDIENCE)).rejects.toMatchObject({ code: "fork_pull_request" });
  });
});

describe("a Buildkite job", () => {
  const job = (env: Environment) =>
    createBuildkiteProvider({ env: { ...buildkiteJob, ...env }, clock: instantClock(), random: () => 0 }).job;

  it("is known by its variables, the same in each attempt", () => {
    expect(job({})).toEqual({
      provider: "buildkite",
      repository: { id: "0184990a-4782-42b5-afc1-16715b10b1a0", name: "acme-inc/super-duper-app" },
      event: "push",
      sha: SHA,
      runId: "0184990a-0000-42b5-afc1-16715b10b1a0",
      attempt: 3,
      job: "0184990a-1111-42b5-afc1-16715b10b1a0",
      step: "3",
    });
  });

  it.each([
    [{ BUILDKITE_PULL_REQUEST: "7" }, { event: "pull_request" }],
    [{ BUILDKITE_SOURCE: "schedule" }, { event: "schedule" }],
    [{ BUILDKITE_COMMIT: "HEAD" }, { sha: "" }],
    [{ BUILDKITE_RETRY_COUNT: undefined }, { attempt: 1 }],
  ])("with %j has %j", (env, expected) => {
    expect(job(env)).toMatchObject(expected);
  });
});
