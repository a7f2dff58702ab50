// What earlier workers of a run have left of its agent, read from the run's journal.

import type { StopReason } from "../../../../../contract/runs/run.ts";
import type { LeftWork } from "../../../run-journal.ts";
import type { MeterState } from "../../../usage-meter.ts";
import type { PlannedCall } from "../../model/spending.ts";
import type { ReportedUsage } from "../turn-usage.ts";
import type { KeptHome } from "./kept-home.ts";

/** A call that acts outside of the run. */
export type OutsideCall = { readonly id: string; readonly name: string; readonly text: string };

/** What comes next. `repair`: a prompt about a reply that does not match the schema. */
export type AgentStep =
  | { readonly at: "prompt" }
  | { readonly at: "repair"; readonly faults: string }
  | { readonly at: "done"; readonly stopReason: StopReason };

/** Of a run's prompts, the one about a reply that does not match the schema. */
export const REPAIR_TURN = 2;

/** What has been spent, and requests that may have been sent and whose answers are not counted. */
export type SpentBody = {
  readonly meter: MeterState;
  readonly planned: readonly PlannedCall[];
  readonly reported: ReportedUsage;
};

export type CallBody = SpentBody & { readonly call: OutsideCall };

/** The body of an entry `kept` or `turn`. */
export type AgentBody = SpentBody & {
  readonly step: AgentStep;
  readonly sessionId: string;
  /** The folder that its session is about. Journals of older versions have none. */
  readonly cwd?: string;
  /** Null where it is larger than is kept. */
  readonly home: KeptHome | null;
  readonly thread: string;
  readonly hasAnswered: boolean;
  /** Calls whose results the session does not have. */
  readonly unknown: readonly OutsideCall[];
};

export type LeftAgent = {
  readonly spent: SpentBody | null;
  /** Null where nothing was kept yet. */
  readonly kept: Omit<AgentBody, keyof SpentBody | "unknown"> | null;
  readonly unknown: readonly OutsideCall[];
};

export function leftAgent({ entries }: LeftWork): LeftAgent {
  let spent: SpentBody | null = null;
  let kept: AgentBody | null = null;
  let unknown: readonly OutsideCall[] = [];
  for (const { kind, body } of entries) {
    if (body === undefined || body === null) continue;
    // Sealed by this service, in the form of its version.
    if (kind === "kept" || kind === "turn") {
      kept = body as AgentBody;
      unknown = kept.unknown;
      spent = kept;
    } else if (kind === "calls") {
      const { call } = body as CallBody;
      unknown = [...unknown, call];
      spent = body as CallBody;
    } else if (kind === "spend") spent = body as SpentBody;
  }
  return { spent, kept, unknown };
}
