import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { runAction } from "../../fakes/runner/run-action.ts";
import type { Run } from "../../src/contract/runs/run.ts";
import {
  AGENT_ID,
  cancelledRun,
  completedRun,
  exchangeBody,
  RUN_ID,
  runningRun,
  SESSION_ID,
} from "../client/run-fixtures.ts";
import { json, problem, silence } from "../client/scripted-server.ts";
import { jobOf, openMockService } from "./mock-service.ts";

const AT = "2026-01-15T10:00:00.000Z";

/** A page that holds a whole run with this reply. */
function wholeRun(reply: string, run: Run = completedRun) {
  const events = [
    { type: "RUN_STARTED", threadId: SESSION_ID, runId: RUN_ID },
    { type: "TEXT_MESSAGE_START", messageId: "m", role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: reply },
    { type: "TEXT_MESSAGE_END", messageId: "m" },
    {
      type: "RUN_FINISHED",
      threadId: SESSION_ID,
      runId: RUN_ID,
      outcome: { type: run.status === "cancelled" ? "cancelled" : "success" },
    },
  ].map((event, index) => ({ seq: index + 1, at: AT, event }));
  return json(200, { run, events, next: events.length, done: true });
}

const running = json(200, {
  run: runningRun,
  events: [{ seq: 1, at: AT, event: { type: "RUN_STARTED", threadId: SESSION_ID, runId: RUN_ID } }],
  next: 1,
  done: false,
});

describe("main", () => {
  it("runs the agent and leaves reply, outputs, files and summary", async () => {
    await using service = await openMockService({ read: wholeRun("All **good**.") });
    const job = await runAction(jobOf(service));
    expect(job).toMatchObject({ exitCode: 0, injectedCommands: [] });
    expect(job.outputs).toMatchObject({
      conclusion: "success",
      reason: "completed",
      "run-id": RUN_ID,
      // This service has no pages.
      "run-url": `${service.url}/v1/ci/runs/${RUN_ID}`,
      "run-api-url": `${service.url}/v1/ci/runs/${RUN_ID}`,
      "session-id": SESSION_ID,
      reply: "All **good**.",
      "claim-url": "",
      credits: "3",
      tokens: "1200",
      "changed-files": "[]",
    });
    expect(await readFile(job.outputs["reply-file"] ?? "", "utf8")).toBe("All **good**.");
    expect((await readFile(job.outputs["events-file"] ?? "", "utf8")).trim().split("\n")).toHaveLength(5);
    expect(job.summary).toContain("All **good**.");
    expect(job.log).toContain(`Run ${RUN_ID}`);
    expect(job.masks).toEqual(expect.arrayContaining(["header.id-token.signature", "svc_ci_first"]));
    expect(job.log).not.toContain("svc_ci_first");
    const submission = service.seen.find((request) => request.path.endsWith("/runs"));
    expect(JSON.parse(submission?.body ?? "")).toEqual({ message: "Hello", may_park: true, delivers: true });
    expect(submission?.headers["idempotency-key"]).toMatch(/^ci-[0-9a-f]{64}$/);
    expect(submission?.headers["user-agent"]).toBe("agent-service-action");

    const post = await runAction(jobOf(service, { entry: "post", state: job.state }));
    expect(post).toMatchObject({ exitCode: 0, annotations: [] });
    expect(service.calls().at(-1)).toBe("DELETE /v1/ci/oidc/exchange");
    expect(service.calls().filter((call) => call.endsWith("/cancel"))).toEqual([]);
    const revocation = service.seen.at(-1);
    expect(revocation?.headers.authorization).toBe("Bearer svc_ci_first");
  });

  it("names every wrong input and sends nothing", async () => {
    await using service = await openMockService({ read: silence });
    const job = await runAction(
      jobOf(service, { inputs: { "timeout-minutes": "2h", "fail-on": "nothing" } }),
    );
    expect(job.exitCode).toBe(1);
    expect(job.outputs).toMatchObject({ conclusion: "failure", reason: "invalid_input" });
    const [annotation] = job.annotations;
    expect(annotation?.level).toBe("error");
    expect(annotation?.message).toContain(
      'Input "timeout-minutes" must be an integer from 1 to 360, got "2h".',
    );
    expect(annotation?.message).toContain('Input "fail-on"');
    expect(service.calls()).toEqual([]);
  });

  it("says which permission is missing", async () => {
    await using service = await openMockService({ read: silence });
    const env = { ACTIONS_ID_TOKEN_REQUEST_URL: "", ACTIONS_ID_TOKEN_REQUEST_TOKEN: "" };
    const job = await runAction(jobOf(service, { env }));
    expect(job).toMatchObject({ exitCode: 1, outputs: { reason: "id_token_unavailable" } });
    expect(job.annotations).toEqual([
      {
        level: "error",
        message: 'No ID token available. Add "permissions: id-token: write" to this job.',
        title: "The step failed",
      },
    ]);
  });

  it("gives a notice when it does not wait", async () => {
    await using service = await openMockService({ read: silence });
    const job = await runAction(jobOf(service, { inputs: { wait: "false" } }));
    expect(job).toMatchObject({ exitCode: 0, outputs: { conclusion: "detached", "run-id": RUN_ID } });
    expect(job.annotations.map(({ level }) => level)).toEqual(["notice"]);
    expect(job.state.phase).toBe("concluded");
  });

  it("prints the claim URL when the quota has ended, and fails as fail-on says", async () => {
    const claim = "https://agents.example.com/claim/abc";
    await using service = await openMockService({
      submit: problem(402, "insufficient_credits", { reason: "credits_ended", claim_url: claim }),
      read: silence,
    });
    const job = await runAction(jobOf(service));
    expect(job).toMatchObject({ exitCode: 1, outputs: { conclusion: "quota", "claim-url": claim } });
    expect(job.log).toContain(claim);
    expect(job.summary).toContain(claim);
    const tolerant = await runAction(jobOf(service, { inputs: { "fail-on": "none" } }));
    expect(tolerant.exitCode).toBe(0);
    expect(tolerant.annotations.map(({ level }) => level)).toEqual(["warning"]);
  });

  it("makes the runner execute nothing that the agent writes", async () => {
    const hostile = [
      "::error::pwned",
      "::set-env name=PATH::/evil",
      "##[add-mask]a",
      "\r::add-path::/evil",
      "ghadelimiter_x\nconclusion=failure",
      "EOF",
      "::stop-commands::",
      "```".repeat(50),
    ].join("\n");
    await using service = await openMockService({ read: wholeRun(hostile) });
    const job = await runAction(jobOf(service));
    expect(job).toMatchObject({ exitCode: 0, annotations: [], injectedCommands: [] });
    expect(job.outputs).toMatchObject({ conclusion: "success", reply: hostile });
  });

  it("makes the runner execute nothing of a refusal's message", async () => {
    const error = "no\n::error::pwned\r::set-env name=A::b ##[warning]pwned";
    const refusal = json(503, { error, code: "unavailable", request_id: "r" }, { "retry-after": "0" });
    await using service = await openMockService({ exchange: refusal, read: silence });
    const job = await runAction(jobOf(service));
    expect(job).toMatchObject({
      exitCode: 1,
      injectedCommands: [],
      outputs: { reason: "service_unavailable" },
    });
    expect(job.annotations).toHaveLength(1);
    expect(job.annotations[0]?.message).not.toContain("pwned");
    expect(service.calls().filter((call) => call.startsWith("POST"))).toHaveLength(8);
  });

  it("mints and exchanges again when the capability ends during the run", async () => {
    let reads = 0;
    let exchanges = 0;
    await using service = await openMockService({
      exchange: (request, response) => {
        exchanges += 1;
        json(200, { ...exchangeBody, access_token: `svc_ci_${exchanges}` })(request, response);
      },
      read: (request, response) => {
        reads += 1;
        const reply =
          [running, problem(401, "unauthorized"), wholeRun("Done.")][reads - 1] ?? wholeRun("Done.");
        reply(request, response);
      },
    });
    const job = await runAction(jobOf(service));
    expect(job).toMatchObject({ exitCode: 0, outputs: { reply: "Done." } });
    expect(job.masks).toEqual(expect.arrayContaining(["svc_ci_1", "svc_ci_2"]));
    expect(job.state.capability).toBe("svc_ci_2");
    expect(service.seen.at(-1)?.headers.authorization).toBe("Bearer svc_ci_2");
  });

  it("cancels the run when the job is cancelled", async () => {
    const controller = new AbortController();
    let cancelled = false;
    await using service = await openMockService({
      read: (request, response) => {
        if (request.query.get("after") === "0") return running(request, response);
        const end = setInterval(() => {
          if (!cancelled) return;
          clearInterval(end);
          const event = {
            type: "RUN_FINISHED",
            threadId: SESSION_ID,
            runId: RUN_ID,
            outcome: { type: "cancelled" },
          };
          json(200, { run: cancelledRun, events: [{ seq: 2, at: AT, event }], next: 2, done: true })(
            request,
            response,
          );
        }, 5);
      },
      cancel: (request, response) => {
        cancelled = true;
        json(202, { runId: RUN_ID, status: "cancelling" })(request, response);
      },
    });
    const job = await runAction(
      jobOf(service, {
        signal: controller.signal,
        onLine: (line) => {
          if (line.includes("started")) controller.abort();
        },
      }),
    );
    expect(job).toMatchObject({ exitCode: 0, outputs: { conclusion: "cancelled", reason: "user_stop" } });
    expect(job.summary).not.toBe("");
    expect(job.state.phase).toBe("concluded");
  });

  it("leaves a killed step's run to the post step", async () => {
    const controller = new AbortController();
    await using service = await openMockService({
      read: (request, response) => {
        if (request.query.get("after") === "0") running(request, response);
      },
    });
    const job = await runAction(
      jobOf(service, {
        signal: controller.signal,
        kill: "SIGKILL",
        onLine: (line) => {
          if (line.includes("started")) controller.abort();
        },
      }),
    );
    expect(job).toMatchObject({ exitSignal: "SIGKILL", outputs: { "run-id": RUN_ID } });
    await runAction(jobOf(service, { entry: "post", state: job.state }));
    expect(service.calls().slice(-2)).toEqual([
      `POST /v1/agents/${AGENT_ID}/runs/${RUN_ID}/cancel`,
      "DELETE /v1/ci/oidc/exchange",
    ]);
  });

  it("does the same for who imports its entries, and nothing before", async () => {
    await using service = await openMockService({ read: wholeRun("Imported.") });
    const folder = await mkdtemp(join(tmpdir(), "importer-"));
    const importer = async (entry: "main" | "post") => {
      const script = join(folder, `${entry}.mjs`);
      const address = pathToFileURL(join(import.meta.dirname, `../../dist/${entry}.cjs`)).href;
      const lines = [
        'import { setImmediate } from "node:timers/promises";',
        `const { run } = await import(${JSON.stringify(address)});`,
        "await setImmediate();",
        'process.stdout.write("Imported the entry.\\n");',
        "await run();",
        'process.stdout.write("Its run has ended.\\n");',
      ];
      await writeFile(script, lines.join("\n"));
      return { entry, script };
    };
    try {
      const job = await runAction(jobOf(service, await importer("main")));
      expect(job).toMatchObject({ exitCode: 0, outputs: { conclusion: "success", reply: "Imported." } });
      expect(job.log).toMatch(/^Imported the entry\.\n[\s\S]*\nIts run has ended\.\n$/);
      expect(service.calls().filter((call) => call.endsWith("/exchange"))).toHaveLength(1);
      const post = await runAction(jobOf(service, { ...(await importer("post")), state: job.state }));
      expect(post).toMatchObject({ exitCode: 0, annotations: [] });
      expect(service.calls().at(-1)).toBe("DELETE /v1/ci/oidc/exchange");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("goes through the job's proxy", async () => {
    await using service = await openMockService({ read: wholeRun("Through.") });
    const asked: string[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      asked.push(request.url ?? "");
      const upstream = connect(Number(new URL(service.url).port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const address = proxy.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      const job = await runAction(
        jobOf(service, {
          env: { http_proxy: `http://127.0.0.1:${port}` },
          inputs: { "base-url": "http://agents.test:8080" },
        }),
      );
      expect(job).toMatchObject({ exitCode: 0, outputs: { reply: "Through." } });
      expect(new Set(asked)).toEqual(new Set(["agents.test:8080"]));
      expect(job.annotations.map(({ level }) => level)).toEqual(["warning"]);
    } finally {
      proxy.close();
      proxy.closeAllConnections();
    }
  });
});
