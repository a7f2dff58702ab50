// Examples of the session WebSocket's frames. Credentials are cut short. Pure.

import type { ExamplesOf } from "../examples.ts";
import { firstEvent } from "../runs/examples.ts";
import { AGENT_ID, CHANGESET_ID, RUN_ID, THREAD_ID, WORKSPACE_ID } from "../story.ts";
import type { sessionRoutes } from "./routes.ts";

export const sessionExamples: ExamplesOf<typeof sessionRoutes> = {
  follow: {
    frames: {
      client: {
        frameAuth: {
          summary: "First, where no header could be sent",
          value: { type: "auth", token: "svc_ci_…" },
        },
        frameSubscribe: {
          summary: "A run, from its first event",
          value: { type: "subscribe", id: "s1", run_id: RUN_ID, after: 0 },
        },
        frameSubscribeWorkspace: {
          summary: "What moves in a workspace from now on",
          value: { type: "subscribe", id: "w1", workspace_id: WORKSPACE_ID },
        },
        frameSubmit: {
          summary: "A run",
          value: { type: "submit", id: "f1", agent_id: AGENT_ID, message: "Is the fix covered by a test?" },
        },
      },
      server: {
        frameSubmitted: {
          summary: "Its answer",
          value: { type: "submitted", id: "f1", run_id: RUN_ID, session_id: THREAD_ID, replayed: false },
        },
        frameEvent: {
          summary: "An event of a subscription",
          value: { type: "event", subscription: "s1", run_id: RUN_ID, ...firstEvent },
        },
        frameWorkspaceEvent: {
          summary: "A changeset of a workspace was accepted",
          value: {
            type: "workspace_event",
            subscription: "w1",
            workspace_id: WORKSPACE_ID,
            seq: 12,
            at: "2026-03-09T10:05:00.000Z",
            what: "changeset",
            id: CHANGESET_ID,
            state: "accepted",
          },
        },
      },
    },
  },
};
