// Events of a workspace, as the session socket sends them: small, so that a client reads the changed thing again. Pure.
// Why: docs/decisions/091-events-of-a-workspace.md

import * as z from "zod/mini";
import { field, object } from "../field.ts";

/** Things that move, and their states then. A client passes over what it does not know. */
export const workspaceMoves = {
  copy: ["ready", "deleted"],
  revision: ["saved", "accepted"],
  changeset: ["open", "conflicted", "accepted", "rejected"],
  worker: ["queued", "saving", "saved", "unchanged", "failed"],
  task_group: ["stopped"],
} as const;
export type MovedThing = keyof typeof workspaceMoves;

/** One thing that moved, and how it stands since. */
export type WorkspaceMove = {
  readonly [Thing in MovedThing]: {
    readonly what: Thing;
    readonly id: string;
    readonly state: (typeof workspaceMoves)[Thing][number];
  };
}[MovedThing];

export const workspaceEventSchema = object({
  seq: field(z.int().check(z.minimum(1)), "The event's number."),
  at: field(z.iso.datetime(), "When the event was stored."),
  what: field(
    z.string(),
    "What moved in the workspace: `copy`, `revision`, `changeset`, `worker` or `task_group`. Others may come.",
  ),
  id: field(
    z.string(),
    "The frame, or the subscription, that this answers; of a workspace's event, the thing that moved.",
  ),
  state: field(z.string(), "How it stands since."),
});

/** Of one workspace. A reader that comes later than that reads everything again. */
export const KEPT_WORKSPACE_EVENTS = 1_000;
