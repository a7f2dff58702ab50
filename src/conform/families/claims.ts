// POST /v1/ci/claim: the claim of a repository's agent, from its link to a job that accepts it.

import { member } from "../kit/exchange.ts";
import { expectMember, expectRefused, expectStatus, expectThat, textOf } from "../kit/expect.ts";
import { dateTime } from "../kit/field-kinds.ts";
import { claimedJob, makeJob, privateRepository } from "../kit/jobs.ts";
import { type Statement, statementsOf } from "../kit/statement.ts";
import { accountOf } from "../kit/things.ts";

const claimed = statementsOf("4.5", { prefix: "claim", needs: ["issuer"] }, [
  [
    "pending",
    "A claim is answered 202 while no job of the repository has accepted it.",
    async (world) => void expectStatus((await claimedJob(world)).pending, 202),
  ],
  [
    "status",
    'A claim that waits has the status "pending".',
    async (world) => expectMember((await claimedJob(world)).pending, "status", "pending"),
  ],
  [
    "agent",
    "A claim names the repository's agent.",
    async (world) => {
      const { pending, agentId } = await claimedJob(world);
      expectMember(pending, "agent_id", agentId);
    },
  ],
  [
    "repository",
    "A claim names the repository.",
    async (world) => {
      const { pending, claims: of } = await claimedJob(world);
      expectMember(pending, "repository.id", of.repository_id);
    },
  ],
  [
    "expires",
    'A claim that waits has "expires_at", a date and time.',
    async (world) => {
      const { pending } = await claimedJob(world);
      expectThat(
        dateTime.holds(member(pending.json, "expires_at")),
        `expires_at is ${dateTime.says}`,
        pending,
      );
    },
  ],
  [
    "accepted",
    "A job that names the account accepts its claim.",
    async (world) => expectMember((await claimedJob(world)).answer, "claim", "claimed"),
  ],
  [
    "owned",
    "A claimed agent is the account's.",
    async (world) => {
      const answer = await world.get(`/v1/agents/${(await claimedJob(world)).agentId}`);
      expectMember(expectStatus(answer, 200), "user_id", await accountOf(world, "owner"));
    },
  ],
  [
    "payer",
    "A claimed repository's quota is the account's.",
    async (world) => {
      const { answer } = await claimedJob(world);
      expectThat(
        member(answer.json, "quota", "audience") !== "anon",
        'an audience that is not "anon"',
        answer,
      );
    },
  ],
  [
    "no-url",
    "A claimed repository has no claim URL.",
    async (world) => expectMember((await claimedJob(world)).answer, "claim_url", null),
  ],
  [
    "again",
    "A claim of what the account has already is answered 200, claimed.",
    async (world) =>
      expectMember(
        expectStatus(await world.post("/v1/ci/claim", { claim: (await claimedJob(world)).claim }), 200),
        "status",
        "claimed",
      ),
  ],
  [
    "of-another",
    "A claim link that another account has used is answered 404 or 409.",
    async (world) =>
      void expectRefused(
        await world.post("/v1/ci/claim", { claim: (await claimedJob(world)).claim }, "other"),
        [404, 409],
      ),
    ["another_account"],
  ],
  [
    "ai-client",
    "An AI client's claim is answered 403, with a link for the owner.",
    async (world) => {
      const { claim } = await claimedJob(world);
      const answer = expectRefused(await world.post("/v1/ci/claim", { claim }, "ai"), 403, "owner_needed");
      expectThat(/https?:\/\//.test(textOf(answer, "error")), "an error text with a link", answer);
    },
    ["ai_client"],
  ],
  [
    "pull-request",
    "A job of a pull request does not accept a claim.",
    async (world) => {
      const { answer, claims: of } = await makeJob(world, privateRepository(world));
      const claim = textOf(answer, "claim_url").split("/").at(-1) ?? "";
      expectStatus(await world.post("/v1/ci/claim", { claim }), 202);
      const account = await accountOf(world, "owner");
      const refused = await makeJob(
        world,
        { ...of, event_name: "pull_request", ref: "refs/pull/1/merge" },
        { account },
      );
      expectMember(refused.answer, "claim", "refused_event");
    },
  ],
  [
    "without-claim",
    "A job that names an account without a claim gets no owner.",
    async (world) => {
      const named = await makeJob(world, undefined, { account: await accountOf(world, "owner") });
      expectMember(named.answer, "quota.audience", "anon");
    },
  ],
]);

const unclaimable = statementsOf("4.5", { prefix: "claim-link" }, [
  [
    "unknown",
    "A claim link that nothing has is answered 404.",
    async (world) =>
      void expectRefused(await world.post("/v1/ci/claim", { claim: "nobody's" }), 404, "not_found"),
  ],
]);

export const claims: readonly Statement[] = [...claimed, ...unclaimable];
