// Credits and the two public rate cards.

import { type Answer, member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, listOf } from "../kit/expect.ts";
import {
  arrayOf,
  boolean,
  either,
  exactly,
  type FieldKind,
  filled,
  integer,
  nothing,
  number,
  object,
  oneOf,
  text,
} from "../kit/field-kinds.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const CREDITS_PER_USD = 120;
const NANO_PER_USD = 1_000_000_000;
const MODELS = "/v1/pricing/models";
const TOOLS = "/v1/pricing/tools";

const atLeastZero: FieldKind = {
  says: "an integer of at least 0",
  holds: (value) => integer.holds(value) && Number(value) >= 0,
};
const activePlan: FieldKind = {
  says: "an object with sku, monthly_credits, status, current_period_end and cancel_at_period_end",
  holds: (value) =>
    object.holds(value) &&
    filled.holds(member(value, "sku")) &&
    integer.holds(member(value, "monthly_credits")) &&
    filled.holds(member(value, "status")) &&
    !Number.isNaN(Date.parse(String(member(value, "current_period_end")))) &&
    boolean.holds(member(value, "cancel_at_period_end")),
};

async function creditsOf(world: World): Promise<Answer> {
  return expectStatus(await world.get(`/v1/users/${await accountOf(world, "owner")}/credits`), 200);
}

async function card(world: World, path: string): Promise<Answer> {
  return await world.once(path, async () => expectStatus(await world.ask({ path, as: "nobody" }), 200));
}

const rate = {
  id: filled,
  in_nano_usd_per_tok: atLeastZero,
  out_nano_usd_per_tok: atLeastZero,
  free_tier_eligible: boolean,
};

const fields: readonly Statement[] = [
  ...recordStatements({
    prefix: "credits",
    section: "2.5",
    what: "An account's credits",
    read: creditsOf,
    fields: {
      balance: integer,
      low_credit_threshold: atLeastZero,
      peg_cents: exactly(1),
      packs: arrayOf({ id: filled, usd_cents: integer, credits: integer }),
      plans: arrayOf({ id: filled, usd_cents: integer, monthly_credits: integer }),
      active_plan: either(activePlan, nothing),
      can_manage_billing: boolean,
      audience: oneOf("anon", "registered_free", "subscribed"),
    },
  }),
  ...recordStatements({
    prefix: "model-pricing",
    section: "2.6",
    what: "The rate card of models",
    read: (world) => card(world, MODELS),
    fields: {
      credits_per_usd: exactly(CREDITS_PER_USD),
      peg_cents: exactly(1),
      note: text,
      model_tiers: arrayOf({ ...rate, credits_per_1k_in: number, credits_per_1k_out: number }),
      models: arrayOf(rate),
      free_max_model_out_nano_usd_per_tok: atLeastZero,
    },
  }),
  ...recordStatements({
    prefix: "tool-pricing",
    section: "2.7",
    what: "The rate card of tools",
    read: (world) => card(world, TOOLS),
    fields: {
      peg_cents: exactly(1),
      tools: arrayOf({
        tool: filled,
        mode: oneOf("free", "per_call"),
        credits: atLeastZero,
        free_per_month: atLeastZero,
        note: text,
      }),
      allowance_reset: filled,
      workflow: object,
      "workflow.exec_credits": atLeastZero,
      "workflow.included_seconds": atLeastZero,
      "workflow.long_run_credits_per_minute": atLeastZero,
      "workflow.note": text,
    },
  }),
];

/** Whether the price of a thousand tokens is as the peg has it. */
function isPegged(tier: unknown, rateName: string, creditsName: string): boolean {
  const credits = (Number(member(tier, rateName)) * 1_000 * CREDITS_PER_USD) / NANO_PER_USD;
  return Math.abs(Number(member(tier, creditsName)) - credits) < 1e-6;
}

const pricing = statementsOf("4.4", { prefix: "pricing" }, [
  ...[MODELS, TOOLS].flatMap(
    (path) =>
      [
        [
          `${path}-no-credential`,
          `GET ${path} needs no credential.`,
          async (world: World): Promise<void> => {
            expectStatus(await world.ask({ path, as: "nobody" }), 200);
          },
        ],
        [
          `${path}-wrong-credential`,
          `GET ${path} is answered also where the credential is wrong.`,
          async (world: World): Promise<void> => {
            expectStatus(await world.ask({ path, bearer: "svc_sk_wrong" }), 200);
          },
        ],
        [
          `${path}-same`,
          `GET ${path} gives an account what it gives everybody.`,
          async (world: World): Promise<void> => {
            const answer = await world.get(path);
            expectThat(answer.text === (await card(world, path)).text, "the public rate card", answer);
          },
        ],
        [
          `${path}-tagged`,
          `GET ${path} is answered 304 to If-None-Match with its ETag.`,
          async (world: World): Promise<void> => {
            const { headers } = await card(world, path);
            const again = { path, headers: { "if-none-match": headers.etag ?? "" } };
            expectStatus(await world.ask({ ...again, as: "nobody" }), 304);
          },
        ],
      ] as const,
  ),
  [
    "in",
    "Each tier's credits for a thousand tokens in are its rate by the peg of 120 credits a USD.",
    async (world) => {
      const answer = await card(world, MODELS);
      const holds = listOf(answer, "model_tiers").every((tier) =>
        isPegged(tier, "in_nano_usd_per_tok", "credits_per_1k_in"),
      );
      expectThat(holds, "credits_per_1k_in by the peg", answer);
    },
  ],
  [
    "out",
    "Each tier's credits for a thousand tokens out are its rate by the peg of 120 credits a USD.",
    async (world) => {
      const answer = await card(world, MODELS);
      const holds = listOf(answer, "model_tiers").every((tier) =>
        isPegged(tier, "out_nano_usd_per_tok", "credits_per_1k_out"),
      );
      expectThat(holds, "credits_per_1k_out by the peg", answer);
    },
  ],
  [
    "unique-models",
    "No model is on the rate card twice.",
    async (world) => {
      const answer = await card(world, MODELS);
      const ids = listOf(answer, "models").map((model) => member(model, "id"));
      expectThat(new Set(ids).size === ids.length, "each id once", answer);
    },
  ],
  [
    "unique-tools",
    "No tool is on the rate card twice.",
    async (world) => {
      const answer = await card(world, TOOLS);
      const ids = listOf(answer, "tools").map((one) => member(one, "tool"));
      expectThat(new Set(ids).size === ids.length, "each tool once", answer);
    },
  ],
  [
    "free-tools",
    "A free tool costs no credits.",
    async (world) => {
      const answer = await card(world, TOOLS);
      const holds = listOf(answer, "tools").every(
        (one) => member(one, "mode") !== "free" || member(one, "credits") === 0,
      );
      expectThat(holds, "0 credits for each free tool", answer);
    },
  ],
]);

const credits = statementsOf("4.4", { prefix: "credits-of" }, [
  [
    "nobody",
    "The credits of an account that nobody has are answered 403.",
    async (world) =>
      void expectRefused(await world.get(`/v1/users/${world.uuid()}/credits`), 403, "forbidden"),
  ],
  [
    "ai-client",
    "An AI client reads the credits of its account.",
    async (world) =>
      void expectStatus(await world.get(`/v1/users/${await accountOf(world, "owner")}/credits`, "ai"), 200),
    ["ai_client"],
  ],
  [
    "same-balance",
    "The owner and an AI client read one balance.",
    async (world) => {
      const balance = member((await creditsOf(world)).json, "balance");
      expectMember(
        await world.get(`/v1/users/${await accountOf(world, "owner")}/credits`, "ai"),
        "balance",
        balance,
      );
    },
    ["ai_client"],
  ],
  [
    "not-kept",
    "Nobody keeps an answer with credits: Cache-Control says no-store.",
    async (world) => {
      const answer = await creditsOf(world);
      expectThat(
        (answer.headers["cache-control"] ?? "").includes("no-store"),
        "Cache-Control with no-store",
        answer,
      );
    },
  ],
]);

export const money: readonly Statement[] = [...fields, ...pricing, ...credits];
