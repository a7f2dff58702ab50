// A core fixture whose runs do what their message says, with the API on a socket: what tests of AG-UI ask.

import { grantCredits } from "../../../src/service/core/accounts/keys.ts";
import { authorizeWrite } from "../../../src/service/core/write-grants/authorize-write.ts";
import type { BackendOutcome, BackendTask } from "../../../src/service/executor/backend.ts";
import { CoreFixture } from "../fixtures/core-fixture.ts";
import { askPeople, type Parking, parkingOf } from "../parking.ts";
import { say, untilStopped } from "../scripted-backend.ts";
import { makeAccount, type TestAccount } from "../service-account.ts";
import { type HttpApi, openHttpApi } from "../service-api.ts";
import type { StoreKind } from "../stores/stores.ts";

export class ScriptedRuns {
  readonly fixture: CoreFixture;
  readonly api: HttpApi;
  readonly account: TestAccount;
  /** What each run was asked, whole. */
  readonly heard: string[];
  readonly #gate: { open: () => void; isOpen: Promise<void> };
  readonly #parking: Parking;

  static async start(store: StoreKind, corsOrigins = ["https://page.example"]): Promise<ScriptedRuns> {
    const heard: string[] = [];
    const gate = gateOf();
    let fixture: CoreFixture | null = null;
    const parking = await parkingOf(async (task, { continued, told }) => {
      const asked = task.messages.at(-1)?.content ?? "";
      if (continued === 0) heard.push(asked);
      if (fixture === null) throw new Error("There is no fixture yet.");
      return await act({
        fixture,
        task,
        told: continued === 0 ? null : (told ?? ""),
        asked,
        gate: gate.isOpen,
      });
    });
    fixture = await CoreFixture.start({ store, slots: 20, ...parking });
    // Clients compare when an interrupt ends with the time of their machine.
    fixture.clock.setWall(Date.now() - fixture.clock.now());
    fixture.executor.start();
    const api = await openHttpApi(fixture, undefined, { corsOrigins });
    const account = await makeAccount(fixture, "subscribed");
    await grantCredits(fixture.core, { accountId: account.id, credits: 1_000_000 });
    return new ScriptedRuns({ fixture, api, account, heard, gate, parking });
  }

  private constructor(parts: {
    fixture: CoreFixture;
    api: HttpApi;
    account: TestAccount;
    heard: string[];
    gate: ReturnType<typeof gateOf>;
    parking: Parking;
  }) {
    this.fixture = parts.fixture;
    this.api = parts.api;
    this.account = parts.account;
    this.heard = parts.heard;
    this.#gate = parts.gate;
    this.#parking = parts.parking;
  }

  get url(): string {
    return `${this.api.url}/v1/agents/${this.account.agent.id}/ag-ui`;
  }

  /** Lets runs go on that were asked to `hold`. */
  release(): void {
    this.#gate.open();
  }

  async close(): Promise<void> {
    this.release();
    await this.api.close();
    await this.#parking.remove();
  }
}

function gateOf() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, isOpen: promise };
}

type Act = {
  readonly fixture: CoreFixture;
  readonly task: BackendTask;
  readonly asked: string;
  /** What a run that goes on was told. Null: it begins. */
  readonly told: string | null;
  readonly gate: Promise<void>;
};

async function act({ fixture, task, asked, told, gate }: Act): Promise<BackendOutcome> {
  const done = { stopReason: "end_turn" } as const;
  if (told !== null) {
    await say(task, `Went on with: ${told}`);
    return done;
  }
  switch (asked.split("\n", 1)[0]) {
    case "question":
      return await askPeople(task, "Which one?");
    case "limit":
      await say(task, "Not done yet.");
      return { stopReason: "max_cost" };
    case "wait":
      await say(task, "Waiting.");
      await untilStopped(task);
      return done;
    case "hold":
      await say(task, "first ");
      await gate;
      await say(task, ...Array.from({ length: 300 }, (_, count) => `${count} `));
      return done;
    case "fail":
      throw new Error("It broke.");
    case "work":
      await work(task);
      return done;
    case "write":
      await askToWrite(fixture, task);
      await say(task, "It may not.");
      return done;
    default:
      await say(task, "Heard ", asked);
      return done;
  }
}

/** As the gate before tools of MCP servers does. */
async function askToWrite(fixture: CoreFixture, task: BackendTask): Promise<void> {
  const { agentId } = await fixture.run(task.runId);
  const call = { server: "issues", tool: "create_issue" };
  const verdict = await authorizeWrite(fixture.core, {
    runId: task.runId,
    agentId,
    ...call,
    origin: "repository",
    isNamed: false,
    job: null,
  });
  if (verdict.isAllowed) return;
  const approve_url = `http://service.example/approve/${verdict.approval?.id}`;
  await task.emit({ type: "CUSTOM", name: "approval", value: { ...call, approve_url } });
}

/** One event of each kind that a run has beside text. */
async function work(task: BackendTask): Promise<void> {
  const [thought, call] = [task.nextId("message"), task.nextId("call")];
  const plan = [{ text: "Look.", status: "in_progress" as const }];
  await task.emit({ type: "STEP_STARTED", stepName: "look" });
  await task.emit({ type: "REASONING_START", messageId: thought });
  await task.emit({ type: "REASONING_MESSAGE_START", messageId: thought, role: "reasoning" });
  await task.emit({ type: "REASONING_MESSAGE_CONTENT", messageId: thought, delta: "Hm." });
  await task.emit({ type: "REASONING_MESSAGE_END", messageId: thought });
  await task.emit({ type: "REASONING_END", messageId: thought });
  await task.emit({ type: "TOOL_CALL_START", toolCallId: call, toolCallName: "bash" });
  await task.emit({ type: "TOOL_CALL_ARGS", toolCallId: call, delta: '{"command":"ls"}' });
  await task.emit({ type: "TOOL_CALL_END", toolCallId: call });
  const result = { messageId: task.nextId("message"), content: "a.txt", role: "tool" } as const;
  await task.emit({ type: "TOOL_CALL_RESULT", toolCallId: call, ...result });
  await task.emit({ type: "CUSTOM", name: "plan", value: { steps: plan } });
  await task.emit({ type: "STEP_FINISHED", stepName: "look" });
}
