// Examples of schedules. Pure.

import type { ExamplesOf } from "../examples.ts";
import { AGENT_ID, SCHEDULE_ID, THREAD_ID } from "../story.ts";
import type { scheduleRoutes } from "./routes.ts";

const schedule = {
  id: SCHEDULE_ID,
  agent_id: AGENT_ID,
  kind: "once" as const,
  prompt: "Summarise the open pull requests.",
  fire_at: "2026-03-10T08:00:00.000Z",
  thread_id: THREAD_ID,
  metadata: { asked_by: "octocat" },
  attempts: 0,
  created_at: "2026-03-09T10:05:00.000Z",
};
const pending = { ...schedule, status: "pending" as const };

export const scheduleExamples: ExamplesOf<typeof scheduleRoutes> = {
  create: {
    body: {
      scheduleAtTime: {
        summary: "At a time, in a session that is there",
        value: {
          prompt: schedule.prompt,
          fire_at: "2026-03-10T08:00:00Z",
          session_id: THREAD_ID,
          metadata: { asked_by: "octocat" },
        },
      },
      scheduleAfterDelay: {
        summary: "In an hour",
        value: { prompt: schedule.prompt, delay_seconds: 3_600 },
      },
    },
    answers: {
      201: {
        schedulePending: { summary: "It waits for its time", value: pending },
        scheduleAwaitingConfirmation: {
          summary: "An AI client made it: it waits for the owner",
          value: {
            ...schedule,
            status: "awaiting_confirmation",
            confirm_url: `https://agent-service.example/confirm/${SCHEDULE_ID}`,
            approve_url: `https://agent-service.example/approve/${SCHEDULE_ID}`,
          },
        },
      },
    },
  },
  list: { answers: { 200: { scheduleList: { summary: "One schedule", value: [pending] } } } },
  get: {
    answers: {
      200: {
        scheduleDone: {
          summary: "Its run has ended",
          value: { ...schedule, status: "done", attempts: 1, last_fired_at: "2026-03-10T08:00:00.000Z" },
        },
      },
    },
  },
  cancel: {
    answers: {
      200: {
        scheduleCancelled: { summary: "It will not fire", value: { ...schedule, status: "cancelled" } },
      },
    },
  },
  confirm: {
    answers: {
      200: {
        scheduleConfirmed: {
          summary: "The owner has confirmed it",
          value: { ...pending, confirmed_at: "2026-03-09T10:06:30.000Z" },
        },
      },
    },
  },
};
