// Examples of the session WebSocket's frames. Credentials are cut short. Pure.

import type { ExamplesOf } from "../examples.ts";
import { firstEvent } from "../runs/examples.ts";
import { AGENT_ID, RUN_ID, THREAD_ID } from "../story.ts";
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
      },
    },
  },
};
