// What a field of a request becomes: none is dropped without a word.

import { describe, expect, it } from "vitest";
import { makeRunInput } from "../../../../fakes/records.ts";
import type { SubmitRunRequest } from "../../../../src/contract/runs/run-requests.ts";
import { hashRequest } from "../../../../src/service/core/idempotency/request-hash.ts";
import {
  bodyOf,
  comparedOf,
  messagesOf,
  requestedInput,
} from "../../../../src/service/core/runs/requested-input.ts";
import type { Submission } from "../../../../src/service/core/runs/submission.ts";

const RUN = "01900000-0000-7000-8000-000000000001";

type Body = Submission["body"];

/** A value of each field, with what the run's input has of it by the field alone: a new field does not compile without its line. */
const fields: {
  readonly [Field in keyof Required<Omit<SubmitRunRequest, "idempotency_key">>]: {
    readonly value: Exclude<SubmitRunRequest[Field], undefined>;
    readonly input: object;
  };
} = {
  message: { value: "Another.", input: {} },
  messages: { value: [{ role: "user", content: "Another." }], input: {} },
  session_id: { value: "session", input: {} },
  session_key: { value: "key", input: { hasThread: true } },
  new_session: { value: true, input: {} },
  pull_request: { value: { number: 7, head_sha: "a".repeat(40), base_ref: "main" }, input: {} },
  max_cost_usd: { value: 2, input: {} },
  max_turn_tokens: { value: 1_000, input: { maxTurnTokens: 1_000 } },
  time_limit_seconds: { value: 60, input: { timeLimitMs: 60_000 } },
  may_park: { value: true, input: { mayPark: true } },
  delivers: { value: true, input: {} },
  about: { value: { request: "Do", subject: { type: "issue", number: 7 } }, input: {} },
  setup: { value: null, input: { setup: null } },
  output_schema: { value: { type: "object" }, input: { outputSchema: { type: "object" } } },
  egress: { value: ["example.com"], input: { egress: ["example.com"] } },
  mcp_servers: {
    value: { docs: { url: "https://docs.example/mcp" } },
    input: { mcpServers: { docs: { url: "https://docs.example/mcp" } } },
  },
  mcp_access: {
    value: { docs: { access_token: "token", expires_at: "2026-11-27T04:00:00.000Z" } },
    input: { mcpAccess: { heldBy: RUN, servers: ["docs"] } },
  },
  best_of: { value: 3, input: {} },
  best_of_models: { value: ["a"], input: {} },
  outputs: {
    value: { labels: { allowed: ["bug"], max: 1 } },
    input: { outputs: { labels: { allowed: ["bug"], max: 1 } } },
  },
  model_access: {
    value: {
      provider: "anthropic",
      model: "claude-opus-4-8",
      access_token: "token",
      expires_at: "2026-11-27T04:00:00.000Z",
    },
    input: {
      modelAccess: {
        provider: "anthropic",
        model: "claude-opus-4-8",
        heldBy: RUN,
        firstExpiresAt: Date.parse("2026-11-27T04:00:00.000Z"),
      },
    },
  },
};

/** What two requests of one key may differ in. */
const notCompared: readonly string[] = ["time_limit_seconds", "may_park", "delivers", "about"];

function hashOf(body: Body): string {
  const messages = messagesOf(body) ?? [];
  return hashRequest(comparedOf({ messages, body }));
}

/** Fields of a job, of a session, or that more than the field itself decides: no request for the same has them from the input. */
const notAskedAgain: readonly string[] = [
  "message",
  "session_id",
  "session_key",
  "new_session",
  "pull_request",
  "delivers",
  "about",
  "mcp_access",
  "outputs",
  "model_access",
  "max_cost_usd",
  "best_of",
  "best_of_models",
];

describe("a field of a request", () => {
  it.each(Object.entries(fields))("%s is in the run's input as it has to be", (field, { value, input }) => {
    expect(requestedInput({ [field]: value } as Body, RUN)).toEqual(input);
  });

  it.each(Object.entries(fields))(
    "%s is compared by an idempotency key, unless it is named here",
    (field, { value }) => {
      const base: Body = { message: "Do it." };
      const isSame = hashOf({ ...base, [field]: value } as Body) === hashOf(base);
      expect(isSame).toBe(notCompared.includes(field));
    },
  );

  it.each(Object.entries(fields))(
    "%s is asked again by a request for the same, unless it is named here",
    (field, { value }) => {
      const messages = messagesOf({ [field]: value } as Body) ?? [];
      const body = bodyOf({
        ...makeRunInput(),
        ...requestedInput({ [field]: value } as Body, RUN),
        messages,
      });
      expect(body[field as keyof Body]).toEqual(notAskedAgain.includes(field) ? undefined : value);
    },
  );

  it("is asked again where the input has it in another form", () => {
    const bestOf = { attempts: 3, models: ["a"] };
    expect(bodyOf({ ...makeRunInput(), bestOf, maxCostMicroUsd: 2_000_000 })).toMatchObject({
      best_of: 3,
      best_of_models: ["a"],
      max_cost_usd: 2,
    });
    expect(bodyOf({ ...makeRunInput(), bestOf: { attempts: 2, models: [] } })).not.toHaveProperty(
      "best_of_models",
    );
  });

  it("is compared although nothing knows it", () => {
    const base: Body = { message: "Do it." };
    expect(hashOf({ ...base, of_a_later_version: 1 } as Body)).not.toBe(hashOf(base));
  });
});
