// POST /v1/ci/oidc/exchange: the answer to a good token, and requests without one.

import { type Answer, member } from "../kit/exchange.ts";
import { expectHeader, expectMember, expectRefused, expectStatus, expectThat } from "../kit/expect.ts";
import {
  dateTime,
  exactly,
  type FieldKind,
  filled,
  integer,
  object,
  oneOf,
  url,
  uuid,
} from "../kit/field-kinds.ts";
import { EXCHANGE, exchange, freshRepository, job, makeJob, mint, privateJob } from "../kit/jobs.ts";
import { recordStatements } from "../kit/record-fields.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import type { World } from "../kit/world.ts";

const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const GRANT = "urn:ietf:params:oauth:grant-type:token-exchange";
const RACERS = 6;
/** With its prefix. */
const MIN_SECRET_CHARS = 40;

const capability: FieldKind = {
  says: "a capability that begins with svc_ci_",
  holds: (value) =>
    typeof value === "string" && value.startsWith("svc_ci_") && value.length > MIN_SECRET_CHARS,
};
const shortLife: FieldKind = {
  says: "seconds, an hour at most",
  holds: (value) => integer.holds(value) && Number(value) > 0 && Number(value) <= 3_600,
};

const fields = recordStatements({
  prefix: "exchanged",
  section: "4.5",
  what: "A job's capability",
  needs: ["issuer"],
  read: async (world) => (await job(world)).answer,
  fields: {
    access_token: capability,
    issued_token_type: exactly("urn:ietf:params:oauth:token-type:access_token"),
    token_type: exactly("Bearer"),
    expires_in: shortLife,
    scope: filled,
    agent_id: uuid,
    repository: object,
    "repository.provider": filled,
    "repository.id": filled,
    "repository.owner_id": filled,
    "repository.name": filled,
    "repository.visibility": exactly("public"),
    "quota.audience": oneOf("anon", "registered_free", "subscribed"),
    "quota.credits_remaining": integer,
    "quota.resets_at": dateTime,
    claim_url: exactly(null),
  },
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function asForm(world: World, form: Readonly<Record<string, string>>): Promise<Answer> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const raw = new URLSearchParams(form).toString();
  return await world.ask({ method: "POST", path: EXCHANGE, as: "nobody", headers, raw });
}

const taken = statementsOf("4.5", { prefix: "exchange", needs: ["issuer"] }, [
  [
    "200",
    "A good token is answered 200.",
    async (world) => void expectStatus((await job(world)).answer, 200),
  ],
  [
    "form",
    "A token in a form is taken as one in JSON.",
    async (world) => void expectStatus(await asForm(world, { subject_token: mint(world) }), 200),
  ],
  [
    "token-type",
    "The type of ID tokens may be named.",
    async (world) =>
      void expectStatus(
        await exchange(world, { subject_token: mint(world), subject_token_type: ID_TOKEN }),
        200,
      ),
  ],
  [
    "grant-type",
    "The grant of token exchange may be named.",
    async (world) =>
      void expectStatus(await exchange(world, { subject_token: mint(world), grant_type: GRANT }), 200),
  ],
  [
    "unknown-parameters",
    "Parameters that are unknown are ignored, as RFC 6749 has it.",
    async (world) =>
      void expectStatus(
        await exchange(world, { subject_token: mint(world), resource: "https://x.example", zzz: "1" }),
        200,
      ),
  ],
  [
    "no-store",
    "Nobody keeps a capability: Cache-Control says no-store.",
    async (world) => expectHeader((await job(world)).answer, "cache-control", /no-store/),
  ],
  [
    "repository-id",
    "The repository's id is the token's.",
    async (world) => {
      const { answer, claims } = await job(world);
      expectMember(answer, "repository.id", claims.repository_id);
    },
  ],
  [
    "repository-name",
    "The repository's name is the token's.",
    async (world) => {
      const { answer, claims } = await job(world);
      expectMember(answer, "repository.name", claims.repository);
    },
  ],
  [
    "owner-id",
    "The repository's owner is the token's.",
    async (world) => {
      const { answer, claims } = await job(world);
      expectMember(answer, "repository.owner_id", claims.repository_owner_id);
    },
  ],
  [
    "no-account",
    'An exchange makes no account: the quota\'s audience of a new repository is "anon".',
    async (world) => expectMember((await job(world)).answer, "quota.audience", "anon"),
  ],
  [
    "same-agent",
    "Every job of a repository gets the same agent.",
    async (world) => {
      const { claims, agentId } = await job(world);
      expectThat((await makeJob(world, claims)).agentId === agentId, agentId, (await job(world)).answer);
    },
  ],
  [
    "renamed",
    "A repository keeps its agent under another name.",
    async (world) => {
      const { claims, agentId } = await makeJob(world);
      const renamed = await makeJob(world, { ...claims, repository: "conform-renamed/project" });
      expectThat(renamed.agentId === agentId, agentId, renamed.answer);
    },
  ],
  [
    "recycled-name",
    "Another repository of the same name has another agent.",
    async (world) => {
      const { claims, agentId } = await makeJob(world);
      const { repository_id } = freshRepository(world);
      const recycled = await makeJob(world, { ...claims, repository_id });
      expectThat(recycled.agentId !== agentId, "another agent_id", recycled.answer);
    },
  ],
  [
    "fresh",
    "Each exchange gives another capability.",
    async (world) => {
      const { claims, capability: first } = await job(world);
      const again = await makeJob(world, claims);
      expectThat(again.capability !== first, "another access_token", again.answer);
    },
  ],
  [
    "replayed",
    "A token that was exchanged is answered 401 the second time.",
    async (world) => {
      const json = { subject_token: mint(world) };
      expectStatus(await exchange(world, json), 200);
      expectMember(expectRefused(await exchange(world, json), 401), "reason", "token_replayed");
    },
  ],
  [
    "same-jti",
    "A token with the id of one that was exchanged is answered 401.",
    async (world) => {
      const claims = { ...freshRepository(world), jti: world.uuid() };
      await makeJob(world, claims);
      const answer = expectRefused(
        await exchange(world, { subject_token: mint(world, { ...claims, nonce: 1 }) }),
        401,
      );
      expectMember(answer, "reason", "token_replayed");
    },
  ],
  [
    "race",
    `Of ${RACERS} exchanges of one token at once, one is answered 200.`,
    async (world) => {
      const json = { subject_token: mint(world) };
      const answers = await Promise.all(Array.from({ length: RACERS }, () => exchange(world, json)));
      const [first] = answers;
      const got = answers.filter(({ status }) => status === 200).length;
      for (const answer of answers) expectStatus(answer, 200, 401);
      if (first !== undefined) expectThat(got === 1, "one 200", first);
    },
  ],
  [
    "private",
    "A job of a private repository gets a claim URL.",
    async (world) => {
      const { answer } = await privateJob(world);
      expectThat(url.holds(member(answer.json, "claim_url")), "claim_url is an http address", answer);
    },
  ],
  [
    "private-visibility",
    "The visibility of a repository is the token's.",
    async (world) => expectMember((await privateJob(world)).answer, "repository.visibility", "private"),
  ],
]);

const untrusted = statementsOf("4.5", { prefix: "exchange-form" }, [
  [
    "no-token",
    "An exchange without a token is answered 400.",
    async (world) =>
      expectMember(
        expectRefused(await exchange(world, {}), 400, "invalid_request"),
        "reason",
        "token_missing",
      ),
  ],
  [
    "empty-token",
    "An exchange with an empty token is answered 400.",
    async (world) => void expectRefused(await exchange(world, { subject_token: "" }), 400, "invalid_request"),
  ],
  ...(
    [
      ["a number", 7],
      ["null", null],
      ["an object", {}],
      ["a list", ["a.b.c"]],
    ] as const
  ).map(
    ([called, token]) =>
      [
        `token-${called}`,
        `An exchange whose token is ${called} is answered 400.`,
        async (world: World) =>
          void expectRefused(await exchange(world, { subject_token: token }), 400, "invalid_request"),
      ] as const,
  ),
  [
    "token-type",
    "Another type of token is answered 400.",
    async (world) => {
      const json = { subject_token: "a.b.c", subject_token_type: "urn:ietf:params:oauth:token-type:saml2" };
      expectMember(
        expectRefused(await exchange(world, json), 400, "invalid_request"),
        "reason",
        "token_type_unsupported",
      );
    },
  ],
  [
    "grant-type",
    "Another grant is answered 400.",
    async (world) => {
      const json = { subject_token: "a.b.c", grant_type: "client_credentials" };
      expectMember(
        expectRefused(await exchange(world, json), 400, "invalid_request"),
        "reason",
        "grant_type_unsupported",
      );
    },
  ],
  [
    "no-jwt",
    "A text that is no token is answered 401.",
    async (world) =>
      expectMember(
        expectRefused(await exchange(world, { subject_token: "hello" }), 401),
        "reason",
        "token_malformed",
      ),
  ],
  [
    "credential",
    "A credential beside the token changes nothing.",
    async (world) => {
      const answer = await world.ask({ method: "POST", path: EXCHANGE, json: { subject_token: "hello" } });
      expectMember(expectRefused(answer, 401), "reason", "token_malformed");
    },
  ],
  [
    "not-repeated",
    "A refusal does not repeat the token.",
    async (world) => {
      const token = `${encode({ alg: "RS256", kid: "1" })}.${encode({ iss: "https://issuer.example" })}.AAAA`;
      const answer = expectRefused(await exchange(world, { subject_token: token }), 401);
      expectThat(!answer.text.includes(token), "a body without the token", answer);
    },
  ],
]);

export const exchanges: readonly Statement[] = [...fields, ...taken, ...untrusted];
