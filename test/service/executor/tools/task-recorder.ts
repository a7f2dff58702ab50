// A backend's task that keeps what was emitted, and checks that whatever was begun was ended.

import { refused } from "../../../../src/base/result.ts";
import { type RunEvent, runEventSchema } from "../../../../src/contract/runs/run-event.ts";
import type { TurnUsage } from "../../../../src/contract/runs/turn-usage.ts";
import type { Usage } from "../../../../src/service/core/runs/usage.ts";
import type { RepositoryTask } from "../../../../src/service/executor/backend.ts";
import { EventMask } from "../../../../src/service/executor/event-mask.ts";
import { noEnvironment } from "../../../../src/service/executor/prepare-environment.ts";
import { SecretMask } from "../../../../src/service/executor/secret-mask.ts";
import { UsageMeter } from "../../../../src/service/executor/usage-meter.ts";
import { noNetwork } from "../../../support/no-network.ts";

export class TaskRecorder {
  readonly events: RunEvent[] = [];
  /** What was told of turns. */
  readonly turns: TurnUsage[] = [];
  readonly controller = new AbortController();
  readonly secrets = new SecretMask();
  readonly #meter = new UsageMeter({ holdMicroUsd: 1_000_000, raiseHold: async () => false });
  /** Called with every event before it is kept. */
  onEmit: (event: RunEvent) => void = () => {};
  #ids = 0;

  task(changes: Partial<RepositoryTask> = {}): RepositoryTask {
    const mask = new EventMask(this.secrets);
    return {
      runId: "run-1",
      messages: [],
      model: null,
      brought: null,
      journal: null,
      advisorMaxSpendMicroUsd: null,
      outputSchema: null,
      outputs: null,
      mayAsk: false,
      mayPark: false,
      isInWorkspace: false,
      filesMayBeOthers: false,
      isJudge: false,
      desk: null,
      carriedState: { state: "fresh" },
      environment: noEnvironment,
      repository: "octo/fixture",
      sha: "0".repeat(40),
      ref: "refs/heads/main",
      event: "push",
      baseRef: null,
      maxTurnTokens: 0,
      deadline: { limitMs: 3_600_000, leftMs: () => 3_600_000 },
      signal: this.controller.signal,
      traceparent: () => null,
      emit: async (event) => {
        for (const masked of mask.apply(event)) {
          this.onEmit(masked);
          this.events.push(runEventSchema.parse(masked));
        }
      },
      beginTurn: async (turn) => {
        this.turns.push(...(changes.meter ?? this.#meter).turn.begin(turn));
      },
      history: async () => [],
      generationsLeft: 3,
      delegate: async () => ({ status: "refused", why: "A recorded task has no children." }),
      resumeChildren: async () => {},
      meter: this.#meter,
      secrets: this.secrets,
      network: noNetwork,
      mcp: {
        asked: null,
        mayUseRepositorys: false,
        authorizeWrite: async () => ({ isAllowed: true }),
        accessToken: async () => refused({ reason: "no job brought one" }),
        connection: async () => refused({ reason: "this run has no account" }),
      },
      nextId: (kind) => {
        this.#ids += 1;
        return `${kind}-${this.#ids}`;
      },
      ...changes,
    };
  }

  /** What the task's own meter counted. */
  get usage(): Usage {
    return this.#meter.usage;
  }

  /** The deltas of the messages, joined. */
  text(): string {
    return this.events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
  }

  types(): string[] {
    return this.events.map((event) => event.type);
  }

  /** What is open at the end, or was ended, continued or answered without having been begun. */
  faults(): string[] {
    const open = new Set<string>();
    const ended = new Set<string>();
    const faults: string[] = [];
    const begin = (key: string) => (open.has(key) ? faults.push(`twice: ${key}`) : open.add(key));
    const end = (key: string) => (open.delete(key) ? ended.add(key) : faults.push(`not open: ${key}`));
    for (const event of this.events) {
      if (event.type === "STEP_STARTED") begin(`step ${event.stepName}`);
      else if (event.type === "STEP_FINISHED") end(`step ${event.stepName}`);
      else if (event.type === "TEXT_MESSAGE_START") begin(`message ${event.messageId}`);
      else if (event.type === "TEXT_MESSAGE_END") end(`message ${event.messageId}`);
      else if (event.type === "TOOL_CALL_START") begin(`call ${event.toolCallId}`);
      else if (event.type === "TOOL_CALL_END") end(`call ${event.toolCallId}`);
      else if (event.type === "TEXT_MESSAGE_CONTENT") {
        if (!open.has(`message ${event.messageId}`) || event.delta === "") faults.push("stray text");
      } else if (event.type === "TOOL_CALL_RESULT") {
        if (!ended.has(`call ${event.toolCallId}`)) faults.push("stray result");
      }
    }
    return [...faults, ...[...open].map((key) => `left open: ${key}`)];
  }
}
