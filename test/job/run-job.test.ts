// The recipe on a port of its own, against a scripted service on loopback: what it calls, in which phase, and what it
// closes. The Action's and the command's ports are shown by the scenarios.

import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { fetchTransport } from "../../src/client/transport.ts";
import { openFollowLog } from "../../src/job/follow-log.ts";
import type { ConcludingPort, JobPort } from "../../src/job/job-port.ts";
import type { JobService, JobTypes, Task } from "../../src/job/job-types.ts";
import { actionWords } from "../../src/job/job-words.ts";
import { runJob } from "../../src/job/run-job.ts";
import { listenForInterrupts } from "../../src/job/signals.ts";
import { StepError } from "../../src/job/step-error.ts";
import { PlainLog } from "../../src/render/plain-log.ts";
import { openMockService } from "../action/mock-service.ts";
import {
  cancelledRun,
  completedRun,
  pageReply,
  RUN_ID,
  runningRun,
  SESSION_ID,
} from "../client/run-fixtures.ts";
import { json, problem } from "../client/scripted-server.ts";

const ended = pageReply(completedRun, [1, 2], true);
const run: Task = { type: "run", body: { message: "Hello" }, job: null, matrix: "", continues: null };

type PortOptions = {
  readonly url: string;
  readonly embedded?: boolean;
  readonly task?: Task;
  readonly wait?: boolean;
  readonly more?: Partial<JobPort<JobTypes>>;
  readonly conclude?: Partial<ConcludingPort<JobTypes>>;
};

/** A port that records the order of its calls. */
function openPort({ url, embedded = false, task = run, wait = true, more = {}, conclude = {} }: PortOptions) {
  const calls: string[] = [];
  const lines: string[] = [];
  const runner = new EventEmitter() as unknown as NodeJS.Process;
  const tokens = { mintIdToken: async () => "header.id-token.signature" };
  const service: JobService = embedded
    ? {
        type: "embedded",
        baseUrl: url,
        tokens,
        modelAccess: null,
        changeNotice: null,
        modelAdvice: "Give the step a model.",
        close: async () => void calls.push("close service"),
      }
    : {
        type: "remote",
        baseUrl: url,
        tokens,
        audience: "agents",
        account: null,
        sha: "",
        model: null,
        servers: [],
      };
  const port: JobPort<JobTypes> = {
    clock: systemClock,
    interrupts: listenForInterrupts(runner),
    transport: fetchTransport,
    userAgent: "test",
    words: actionWords,
    claimObstacle: null,
    readSettings: async () => {
      calls.push("settings");
      return {
        wait,
        onCancel: "cancel",
        timeoutMs: 60_000,
        idleMs: null,
        failOn: new Set(["failure"]),
        failOnSeverity: null,
        clone: "auto",
      };
    },
    planJob: async () => {
      calls.push("plan");
      return { task, threadPhrase: null };
    },
    openService: async () => {
      calls.push("service");
      return service;
    },
    setSecret: () => {},
    keepRun: () => {},
    keepGrant: (_grant, { phase }) => void calls.push(`grant (${phase})`),
    commitPlace: () => Promise.reject(new Error("The repository is public.")),
    announce: ({ run: { id, url: address } }) => void calls.push(`announce ${id} ${address}`),
    openLog: async () => {
      calls.push("log");
      const log = openFollowLog({
        files: { appendEvents: async (text) => void lines.push(text) },
        format: new PlainLog(),
        shownAfter: 0,
        write: () => {},
      });
      return { ...log, close: async () => void calls.push("close log") };
    },
    conclude: async () => ({
      handOver: async () => {
        calls.push("hand over");
        return { delivery: null, attestation: null, findings: null, outputs: null };
      },
      withhold: () => {
        calls.push("withhold");
        return { type: "withheld", message: "Nothing was pushed." };
      },
      publications: () => [{ what: "outputs", write: async () => void calls.push("outputs") }],
      sayEnding: ({ verdict, fails }) => void calls.push(`${verdict.reason}${fails ? ", fails" : ""}`),
      ...conclude,
    }),
    note: (text) => void calls.push(`note: ${text}`),
    warn: (text) => void calls.push(`warning: ${text}`),
    ...more,
  };
  return { port, calls, lines, interrupt: () => runner.emit("SIGINT", "SIGINT") };
}

describe("runJob", () => {
  it("goes through every phase, then publishes and closes", async () => {
    await using service = await openMockService({ read: ended });
    const { port, calls, lines } = openPort({ url: service.url });
    const ending = await runJob(port);
    expect(calls).toEqual([
      "settings",
      "plan",
      "service",
      "grant (connecting)",
      `announce ${RUN_ID} ${service.url}/v1/ci/runs/${RUN_ID}`,
      "log",
      "hand over",
      "outputs",
      "completed",
      "close log",
    ]);
    expect(ending).toMatchObject({
      progress: { phase: "following", run: { id: RUN_ID, sessionId: SESSION_ID, attached: false } },
      outcome: { type: "ended" },
      verdict: { conclusion: "success", reason: "completed" },
      fails: false,
    });
    expect(lines.join("").trimEnd().split("\n")).toHaveLength(2);
  });

  it("does not follow a run where the settings say not to wait", async () => {
    await using service = await openMockService({ read: ended });
    const { port, calls } = openPort({ url: service.url, wait: false });
    const { progress, verdict } = await runJob(port);
    expect([progress.phase, verdict.conclusion]).toEqual(["submitted", "detached"]);
    expect(calls).not.toContain("log");
  });

  it("opens no service where the plan has the outcome", async () => {
    const task: Task = { type: "none", outcome: { type: "answered", reason: "help", message: "Help." } };
    const { port, calls } = openPort({ url: "http://127.0.0.1:9", task });
    const { progress } = await runJob(port);
    expect(progress).toEqual({
      phase: "admitted",
      settings: expect.anything(),
      plan: { task, threadPhrase: null },
    });
    expect(calls).toEqual(["settings", "plan", "outputs", "help"]);
  });

  it("names a run to attach to that does not exist", async () => {
    await using service = await openMockService({ read: ended });
    const task: Task = { type: "attach", runId: "none" };
    const { progress, verdict } = await runJob(openPort({ url: service.url, task }).port);
    expect([progress.phase, verdict.reason]).toEqual(["granted", "run_not_found"]);
    expect(verdict.message).toContain('no run "none"');
  });

  it("fails where the settings are wrong, whatever fail-on says", async () => {
    const readSettings = async () => {
      throw new StepError("invalid_input", "wrong");
    };
    const { port, calls } = openPort({ url: "http://127.0.0.1:9", more: { readSettings } });
    const { progress } = await runJob(port);
    expect(progress).toEqual({ phase: "starting" });
    expect(calls).toEqual(["outputs", "invalid_input, fails"]);
  });

  it("closes an embedded service that grants nothing, and offers no claim of its agent", async () => {
    await using service = await openMockService({ exchange: problem(403, "forbidden"), read: ended });
    const { port, calls } = openPort({ url: service.url, embedded: true });
    const ending = await runJob(port);
    expect(ending).toMatchObject({ progress: { phase: "connecting" }, claimUrl: null, fails: true });
    expect(calls).toEqual(["settings", "plan", "service", "outputs", "forbidden, fails", "close service"]);
  });

  it("warns of a publication that fails, and writes the others", async () => {
    await using service = await openMockService({ read: ended });
    const written: string[] = [];
    const publications = () => [
      { what: "comment", write: async () => Promise.reject(new Error("no permission")) },
      { what: "summary", write: async () => void written.push("summary") },
    ];
    const { port, calls } = openPort({ url: service.url, conclude: { publications } });
    expect(await runJob(port)).toMatchObject({ verdict: { conclusion: "success" } });
    expect(calls).toContain("warning: The comment could not be written: no permission");
    expect(written).toEqual(["summary"]);
  });

  it.each([
    ["was cut", "max_tokens", "incomplete", /Raise "max-turn-tokens".* Nothing was pushed\.$/],
    ["ended with a question", "question", "success", /Answer it where you asked.* Nothing was pushed\.$/],
  ])("publishes nothing of a run that %s, and says so", async (_what, reason, conclusion, message) => {
    const cut = pageReply({ ...completedRun, stop_reason: reason }, [1, 2], true);
    await using service = await openMockService({ read: cut });
    const { port, calls } = openPort({ url: service.url });
    const ending = await runJob(port);
    expect(ending).toMatchObject({ verdict: { conclusion, reason }, delivery: { type: "withheld" } });
    expect(ending.verdict.message).toMatch(message);
    expect(calls).toContain("withhold");
    expect(calls).not.toContain("hand over");
  });

  it("takes the advice of a service in the job where no model worked", async () => {
    const briefed = pageReply({ ...completedRun, stop_reason: "no_model" }, [1, 2], true);
    await using service = await openMockService({ read: briefed });
    const { port, calls } = openPort({ url: service.url, embedded: true });
    const { verdict } = await runJob(port);
    expect(verdict).toMatchObject({ conclusion: "skipped", reason: "no_model" });
    expect(verdict.message).toMatch(/Give the step a model\.$/);
    expect(calls).not.toContain("hand over");
  });

  it("fails a completed run whose changes were not delivered", async () => {
    await using service = await openMockService({ read: ended });
    const handOver = async () => ({
      delivery: { type: "kept", reason: "push_refused", message: "Not pushed." } as const,
      attestation: null,
      findings: null,
      outputs: null,
    });
    const ending = await runJob(openPort({ url: service.url, conclude: { handOver } }).port);
    expect(ending).toMatchObject({ verdict: { conclusion: "failure", reason: "push_refused" }, fails: true });
  });

  it("fails a completed run where handing over throws", async () => {
    await using service = await openMockService({ read: ended });
    const handOver = async () => Promise.reject(new Error("disk full"));
    const ending = await runJob(openPort({ url: service.url, conclude: { handOver } }).port);
    expect(ending).toMatchObject({ verdict: { reason: "internal_error" }, delivery: null, findings: null });
  });

  it.each([
    ["openService", "connecting"],
    ["keepGrant", "granted"],
  ] as const)("is cancelled in %s, before there is a run", async (at, phase) => {
    await using service = await openMockService({ read: ended });
    const { port, calls, interrupt } = openPort({ url: service.url });
    const { openService, keepGrant } = port;
    const interrupted: Pick<JobPort<JobTypes>, "openService" | "keepGrant"> = {
      openService: async (admitted) => {
        if (at === "openService") interrupt();
        return await openService(admitted);
      },
      keepGrant: (grant, progress) => {
        if (at === "keepGrant") interrupt();
        keepGrant(grant, progress);
      },
    };
    const ending = await runJob({ ...port, ...interrupted });
    expect(ending).toMatchObject({
      outcome: { type: "interrupted", submitting: false },
      progress: { phase },
    });
    expect(calls.at(-1)).toBe("user_stop");
  });

  it("cancels the run when the job is cancelled", async () => {
    let isCancelled = false;
    await using service = await openMockService({
      read: (request, response) => {
        const page = isCancelled ? pageReply(cancelledRun, [1, 2], true) : pageReply(runningRun, [1]);
        page(request, response);
      },
      cancel: (request, response) => {
        isCancelled = true;
        json(202, { runId: RUN_ID, status: "cancelling" })(request, response);
      },
    });
    const { port, calls, interrupt } = openPort({ url: service.url });
    const openLog: typeof port.openLog = async (submitted) => {
      interrupt();
      return await port.openLog(submitted);
    };
    const ending = await runJob({ ...port, openLog });
    expect(ending).toMatchObject({ outcome: { type: "ended", run: cancelledRun }, fails: false });
    expect(calls).toContain("note: The job was cancelled: cancelling the run.");
    expect(calls).not.toContain("hand over");
  });
});
