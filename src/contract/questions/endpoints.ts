// Where the routes of questions are. No schema loads here: the client needs this before its first request.

import { accounts, type Endpoint } from "../route.ts";

const common = { callers: accounts, repeat: "safe" } as const;

export const questionEndpoints = {
  list: {
    ...common,
    method: "GET",
    path: "/v1/questions",
    answer: async () => (await import("./question.ts")).questionListSchema,
  },
  answer: {
    ...common,
    method: "POST",
    path: "/v1/questions/{runID}/answer",
    answer: async () => (await import("../runs/run.ts")).submitRunResponseSchema,
  },
} as const satisfies Readonly<Record<string, Endpoint>>;
