// Bodies before their fields are looked at: JSON, an object, complete, not too large, and called JSON.

import { NO_ID } from "../kit/beginnings.ts";
import { expectRefused } from "../kit/expect.ts";
import type { Statement } from "../kit/statement.ts";
import { agentOf, retiredAgentOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const MEGABYTE = 1024 * 1024;

type Taking = {
  readonly section: string;
  readonly route: string;
  readonly method?: string;
  readonly path: (world: World) => Promise<string>;
  /** A body that is right. */
  readonly right: string;
  /** Beyond what it reads, in bytes. */
  readonly tooLarge: number;
  /** True where no body is read as an empty object. */
  readonly isOptional?: boolean;
  /** True where a form is read too. */
  readonly takesForms?: boolean;
};

const ofIdle = (rest: string) => async (world: World) => `/v1/agents/${await retiredAgentOf(world)}${rest}`;

const takings: readonly Taking[] = [
  {
    section: "4.1",
    route: "POST /v1/agents",
    path: async () => "/v1/agents",
    right: '{"name":"conform"}',
    tooLarge: MEGABYTE,
  },
  {
    section: "4.1",
    route: "PATCH /v1/agents/{agentID}",
    method: "PATCH",
    path: async (world) => `/v1/agents/${await agentOf(world, "owner")}`,
    right: '{"advisor_max_spend_micro_usd":null}',
    tooLarge: MEGABYTE,
  },
  {
    section: "4.2",
    route: "POST /v1/agents/{agentID}/runs",
    path: ofIdle("/runs"),
    right: '{"message":"hello"}',
    tooLarge: 11 * MEGABYTE,
  },
  {
    section: "4.3",
    route: "POST /v1/agents/{agentID}/schedules",
    path: ofIdle("/schedules"),
    right: '{"prompt":"Look.","delay_seconds":86400}',
    tooLarge: 2 * MEGABYTE,
  },
  {
    section: "4.5",
    route: "POST /v1/ci/oidc/exchange",
    path: async () => "/v1/ci/oidc/exchange",
    right: '{"subject_token":"a.b.c"}',
    tooLarge: 64 * 1024,
    takesForms: true,
  },
  {
    section: "4.5",
    route: "POST /v1/ci/claim",
    path: async () => "/v1/ci/claim",
    right: '{"claim":"nobody\'s"}',
    tooLarge: 8 * 1024,
  },
  {
    section: "4.5",
    route: "POST /v1/workflows/{id}/activate",
    path: async () => `/v1/workflows/${NO_ID}/activate`,
    right: "{}",
    tooLarge: MEGABYTE,
    isOptional: true,
  },
  {
    section: "4.5",
    route: "POST /v1/workflows/{id}/executions",
    path: async () => `/v1/workflows/${NO_ID}/executions`,
    right: "{}",
    tooLarge: MEGABYTE,
    isOptional: true,
  },
];

type Form = {
  readonly id: string;
  readonly says: string;
  readonly status: number;
  readonly code: string;
  readonly type?: string;
  readonly raw: (taking: Taking) => string;
};

const malformed = { status: 400, code: "invalid_request" } as const;
const untaken = { status: 415, code: "unsupported_media_type", raw: ({ right }: Taking) => right } as const;

const forms: readonly Form[] = [
  { ...malformed, id: "cut-off", says: "JSON that is cut off", raw: ({ right }) => right.slice(0, -1) },
  { ...malformed, id: "trailing", says: "JSON that something follows", raw: ({ right }) => `${right} {}` },
  { ...malformed, id: "single-quotes", says: "single quotes", raw: () => "{'name':'conform'}" },
  { ...malformed, id: "array", says: "an array", raw: ({ right }) => `[${right}]` },
  { ...malformed, id: "null", says: "null", raw: () => "null" },
  { ...malformed, id: "text", says: "a text", raw: ({ right }) => JSON.stringify(right) },
  { ...malformed, id: "number", says: "a number", raw: () => "7" },
  { ...malformed, id: "true", says: "true", raw: () => "true" },
  { ...untaken, id: "plain-text", says: "a body that is called text/plain", type: "text/plain" },
  { ...untaken, id: "xml", says: "a body that is called application/xml", type: "application/xml" },
  {
    ...untaken,
    id: "multipart",
    says: "a body that is called multipart/form-data",
    type: "multipart/form-data; boundary=x",
  },
  {
    ...untaken,
    id: "form",
    says: "a form",
    type: "application/x-www-form-urlencoded",
    raw: () => "name=conform",
  },
  {
    id: "too-large",
    says: "a body that is larger than it reads",
    status: 413,
    code: "body_too_large",
    raw: ({ right, tooLarge }) => right + " ".repeat(tooLarge),
  },
];

export const malformedBodies: readonly Statement[] = takings.flatMap((taking) => {
  const { section, route, method = "POST", path, isOptional = false, takesForms = false } = taking;
  const asked = forms.filter(({ id }) => !(takesForms && id === "form"));
  const whole = asked.map(
    ({ id, says, status, code, type = "application/json", raw }): Statement => ({
      id: `body/${route}/${id}`,
      section,
      says: `${route} answers ${status} to ${says}.`,
      check: async (world) => {
        const answer = await world.ask({
          method,
          path: await path(world),
          headers: { "content-type": type },
          raw: raw(taking),
        });
        expectRefused(answer, status, code);
      },
    }),
  );
  const empty: Statement = {
    id: `body/${route}/none`,
    section,
    says: isOptional
      ? `${route} reads no body as an empty object.`
      : `${route} refuses a request without a body.`,
    check: async (world) => {
      const answer = await world.ask({ method, path: await path(world) });
      if (isOptional) expectRefused(answer, 404, "not_found");
      else expectRefused(answer, [400, 415]);
    },
  };
  return [...whole, empty];
});
