// The examination in this process, as the Action's face has it, against the real service.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CodeHostJob } from "../../fakes/code-host/code-host.ts";
import { systemClock } from "../../src/base/clock.ts";
import { fetchTransport, type TransportRequest } from "../../src/client/transport.ts";
import type { ExamineOptions } from "../../src/doctor/examination.ts";
import { examineJob } from "../../src/doctor/examine-job.ts";
import { checkOf, factsOf, fixesOf, statesOf } from "../support/doctor-command.ts";
import type { ScenarioFixture } from "../support/fixtures/scenario-fixture.ts";
import { startFixture } from "../support/fixtures/start-fixture.ts";

describe("an examination by the Action", () => {
  let fixture: ScenarioFixture;
  beforeAll(async () => {
    fixture = await startFixture({ level: "scenario", visibility: "private" });
  });
  afterAll(() => fixture.close());

  const options = (job: CodeHostJob, more: Partial<ExamineOptions> = {}): ExamineOptions => ({
    version: "1.2.3",
    env: job.env,
    face: "action",
    baseUrl: fixture.url,
    audience: null,
    folder: job.files.checkout,
    transport: fetchTransport,
    usesProxy: true,
    githubToken: { from: "the input github-token", value: job.githubToken },
    federation: null,
    federatedModel: null,
    examineEmbedded: null,
    clock: systemClock,
    random: Math.random,
    ...more,
  });

  it("hides each token before it is sent, and shows none", async () => {
    const job = await fixture.job();
    const hidden: string[] = [];
    const sentBefore: string[] = [];
    const transport = (request: TransportRequest) => {
      const token = /"subject_token":"([^"]+)"/.exec(String(request.body))?.[1];
      if (token !== undefined && !hidden.includes(token)) sentBefore.push(token);
      return fetchTransport(request);
    };
    const page = await examineJob(options(job, { transport, setSecret: (secret) => hidden.push(secret) }));
    expect(sentBefore).toEqual([]);
    expect(new Set(hidden).size).toBe(2);
    expect(hidden.some((secret) => secret.startsWith("svc_ci_"))).toBe(true);
    for (const secret of [...hidden, job.githubToken, job.idTokenRequestToken]) {
      expect(JSON.stringify(page)).not.toContain(secret);
    }
    expect(factsOf(page, "github-token").from).toBe("the input github-token");
  });

  it("tells what to write into the step", async () => {
    const page = await examineJob(options(await fixture.job(), { audience: "other.example" }));
    expect(fixesOf(page, "audience")).toBe(
      `Write into this step:\nwith:\n  audience: ${new URL(fixture.url).host}`,
    );
    const unpaid = await examineJob(options(await fixture.job()));
    expect(checkOf(unpaid, "quota").state).toBe("fault");
    expect(fixesOf(unpaid, "quota")).toContain("with:\n  account: ");
  });

  it("looks at what there is without a server, as the face says it", async () => {
    const readiness = {
      settings: [],
      api: null,
      agent: null,
      model: null,
      sandbox: "none",
      blockers: [],
      notes: ["bwrap is not in PATH."],
    };
    const page = await examineJob(
      options(await fixture.job(), { baseUrl: null, examineEmbedded: async () => readiness }),
    );
    expect(checkOf(page, "embedded").state).toBe("warning");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow, not of ours.
    expect(fixesOf(page, "embedded")).toContain("model-api-key: ${{ secrets.ANTHROPIC_API_KEY }}");
    expect(fixesOf(page, "embedded")).toContain("bwrap is not in PATH.");
    const broken = {
      settings: [],
      api: null,
      agent: null,
      model: "m",
      sandbox: null,
      blockers: [],
      notes: ["bwrap does not work."],
    };
    const worse = await examineJob(
      options(await fixture.job(), { baseUrl: null, examineEmbedded: async () => broken }),
    );
    expect(checkOf(worse, "embedded").state).toBe("fault");
  });

  it("names all that keeps the sandbox from working, with one step of a workflow that fixes it", async () => {
    const readiness = {
      settings: [],
      api: null,
      agent: null,
      model: "m",
      sandbox: "none",
      notes: ["bwrap is not in PATH."],
      blockers: ["no_bubblewrap", "apparmor"] as const,
    };
    const page = async (face: ExamineOptions["face"]) =>
      await examineJob(
        options(await fixture.job(), { baseUrl: null, face, examineEmbedded: async () => readiness }),
      );
    const step = await page("action");
    expect(checkOf(step, "embedded").found).toContain(
      "bubblewrap is not installed. AppArmor restricts user namespaces.",
    );
    expect(fixesOf(step, "embedded")).toBe(
      [
        "Add a step before this one:",
        "- run: |",
        "    sudo apt-get update && sudo apt-get install --yes bubblewrap",
        "    if [ -e /proc/sys/kernel/apparmor_restrict_unprivileged_userns ]; then",
        "      sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        "    fi",
      ].join("\n"),
    );
    expect(fixesOf(await page("command"), "embedded")).toMatch(
      /Install bubblewrap[\s\S]*apt-get update[\s\S]*sudo sysctl -w kernel\.apparmor_restrict_unprivileged_userns=0$/,
    );
  });

  it("ends when it is told to", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(examineJob(options(await fixture.job(), { signal }))).rejects.toThrow("enough");
  });

  it("goes on past a database that does not answer, and names it", async () => {
    const transport: ExamineOptions["transport"] = async (request) => {
      if (!request.url.endsWith("/readyz")) return await fetchTransport(request);
      const body = JSON.stringify({ status: "unavailable" });
      return { status: 503, headers: () => undefined, body };
    };
    const page = await examineJob(options(await fixture.job(), { transport }));
    expect(checkOf(page, "service").found).toContain("its database does not answer");
    expect(statesOf(page)).toMatchObject({ service: "fault", exchange: "ok" });
  });
});
