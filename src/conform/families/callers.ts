// The classes of callers on every route: refusals of a job's capability and of an AI client, and the forms of a credential.

import { LATER, NO_ID } from "../kit/beginnings.ts";
import { type Answer, member } from "../kit/exchange.ts";
import { expectHeader, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { url } from "../kit/field-kinds.ts";
import { job } from "../kit/jobs.ts";
import { fill, nameOf, type RouteFact, routes } from "../kit/routes.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { agentOf, makeAgent } from "../kit/things.ts";
import type { World } from "../kit/world.ts";

const ofAccounts = routes.filter(({ callers }) => callers === "accounts" || callers === "owners");

async function asJob(world: World, { method, path, body }: RouteFact): Promise<Answer> {
  const { capability } = await job(world);
  const json = body === "json" || body === "optional_json" ? {} : undefined;
  return await world.ask({
    method,
    path,
    bearer: capability,
    headers: { "idempotency-key": world.uuid() },
    ...(json === undefined ? {} : { json }),
  });
}

const capabilities = ofAccounts.map(
  (route): Statement => ({
    id: `capability/${nameOf(route)}`,
    section: "5 rule 7",
    says: `${nameOf(route)} is not for a job's capability: 403.`,
    needs: ["issuer"],
    check: async (world) => {
      const path = fill(route, {}, NO_ID);
      expectRefused(await asJob(world, { ...route, path }), 403, "forbidden");
    },
  }),
);

type Spelling = readonly [id: string, says: string, header: (key: string) => string];

const spellings: readonly Spelling[] = [
  ["basic", "in the scheme Basic", (key) => `Basic ${Buffer.from(`key:${key}`).toString("base64")}`],
  ["other-scheme", "in an unknown scheme", (key) => `Token ${key}`],
  ["no-scheme", "without a scheme", (key) => key],
  ["empty", "that is empty", () => "Bearer "],
  ["joined", "with its scheme in one word", (key) => `Bearer${key}`],
  ["two", "beside another one", (key) => `Bearer ${key}, Bearer ${key}`],
  ["quoted", "in quotes", (key) => `Bearer "${key}"`],
  ["upper-case", "in upper case", (key) => `Bearer ${key.toUpperCase()}`],
  ["cut", "without its last character", (key) => `Bearer ${key.slice(0, -1)}`],
  ["longer", "with a character more", (key) => `Bearer ${key}A`],
  [
    "one-off",
    "with another character in it",
    (key) => `Bearer ${key.slice(0, 20)}${key[20] === "A" ? "B" : "A"}${key.slice(21)}`,
  ],
  ["prefix", "of which only the prefix is there", () => "Bearer svc_sk_"],
  ["long", "of 4,000 characters", () => `Bearer svc_sk_${"A".repeat(4_000)}`],
];

const spelled = spellings.map(
  ([id, says, header]): Statement => ({
    id: `credential-spelled.${id}`,
    section: "5 rule 1",
    says: `A credential ${says} is answered 401.`,
    check: async (world) => {
      const authorization = header(world.credential("owner") ?? "");
      expectRefused(
        await world.ask({ path: "/v1/agents", as: "nobody", headers: { authorization } }),
        401,
        "unauthorized",
      );
    },
  }),
);

const credentials = statementsOf("5 rule 1", { prefix: "credential" }, [
  [
    "lower-case-scheme",
    "The scheme Bearer is read in any case.",
    async (world) => {
      const authorization = `bearer ${world.credential("owner") ?? ""}`;
      expectStatus(await world.ask({ path: "/v1/agents", as: "nobody", headers: { authorization } }), 200);
    },
  ],
  [
    "in-query",
    "A credential in the query is none: 401.",
    async (world) => {
      const query = `access_token=${world.credential("owner") ?? ""}`;
      expectRefused(
        await world.ask({ path: `/v1/users/${NO_ID}/credits?${query}`, as: "nobody" }),
        401,
        "unauthorized",
      );
    },
  ],
  [
    "challenge",
    "A request without a credential is answered with WWW-Authenticate: Bearer.",
    async (world) =>
      expectHeader(await world.ask({ path: "/v1/agents", as: "nobody" }), "www-authenticate", /^Bearer\b/),
  ],
  [
    "not-repeated",
    "A refusal does not repeat the credential.",
    async (world) => {
      const bearer = `svc_sk_${"B".repeat(49)}`;
      const answer = expectRefused(await world.ask({ path: "/v1/agents", bearer }), 401);
      expectThat(!answer.text.includes(bearer), "a body without the credential", answer);
    },
  ],
]);

/** Rights of an AI client: the owner's own routes are asked for where they are. */
const aiClients = statementsOf("5 rule 5", { prefix: "ai-client", needs: ["ai_client"] }, [
  [
    "lists-agents",
    "An AI client lists the account's agents.",
    async (world) => void expectStatus(await world.get("/v1/agents", "ai"), 200),
  ],
  [
    "reads-agent",
    "An AI client reads an agent of the account.",
    async (world) =>
      void expectStatus(await world.get(`/v1/agents/${await agentOf(world, "owner")}`, "ai"), 200),
  ],
  [
    "makes-agent",
    "An AI client makes an agent, which is the account's.",
    async (world) => {
      const id = await makeAgent(world, { as: "ai" });
      expectStatus(await world.get(`/v1/agents/${id}`), 200);
    },
  ],
  [
    "sets-cap",
    "An AI client sets an agent's advisor cap.",
    async (world) => {
      const path = `/v1/agents/${await makeAgent(world)}`;
      expectStatus(await world.send("PATCH", path, { advisor_max_spend_micro_usd: 5 }, "ai"), 200);
    },
  ],
  [
    "stops-agent",
    "An AI client stops an agent.",
    async (world) =>
      void expectStatus(
        await world.post(`/v1/agents/${await makeAgent(world)}/stop`, undefined, "ai"),
        200,
        202,
      ),
  ],
  [
    "lists-runs",
    "An AI client lists an agent's runs.",
    async (world) =>
      void expectStatus(await world.get(`/v1/agents/${await agentOf(world, "owner")}/runs`, "ai"), 200),
  ],
  [
    "lists-schedules",
    "An AI client lists an agent's schedules.",
    async (world) =>
      void expectStatus(await world.get(`/v1/agents/${await agentOf(world, "owner")}/schedules`, "ai"), 200),
  ],
]);

const owners = statementsOf("5 rule 6", { prefix: "owner-only", needs: ["ai_client"] }, [
  [
    "claim",
    "An AI client that follows an unknown claim link learns no more than the owner.",
    async (world) =>
      void expectRefused(await world.post("/v1/ci/claim", { claim: "nobody's" }, "ai"), [403, 404]),
  ],
  [
    "workflow-unknown",
    "An AI client's activation of a workflow that nothing has is answered 404.",
    async (world) =>
      void expectRefused(await world.post(`/v1/workflows/${NO_ID}/activate`, {}, "ai"), 404, "not_found"),
  ],
  [
    "confirm-approve-link",
    "The refusal of an AI client's confirmation has approve_url, which opens the approval's card.",
    async (world) => {
      const agentId = await agentOf(world, "owner");
      const body = LATER;
      const made = await world.post(`/v1/agents/${agentId}/schedules`, body, "ai");
      const path = `/v1/agents/${agentId}/schedules/${textOf(made, "id")}`;
      world.atEnd(path, () => world.send("DELETE", path, undefined));
      const answer = expectRefused(await world.post(`${path}/confirm`, undefined, "ai"), 403, "owner_needed");
      expectThat(url.holds(member(answer.json, "approve_url")), "approve_url is an http address", answer);
    },
  ],
]);

export const callers: readonly Statement[] = [
  ...capabilities,
  ...spelled,
  ...credentials,
  ...aiClients,
  ...owners,
];
