// Jobs of CI that exchange a token of the trusted issuer. All of them need that issuer.

import type { Answer } from "./exchange.ts";
import { expectStatus, textOf } from "./expect.ts";
import type { ClaimValues } from "./issuer.ts";
import { accountOf } from "./things.ts";
import type { World } from "./world.ts";

export const EXCHANGE = "/v1/ci/oidc/exchange";

export function mint(world: World, claims: ClaimValues = {}, header: ClaimValues = {}): string {
  if (world.issuer === null)
    throw new TypeError("A statement about jobs does not say that it needs an issuer.");
  return world.issuer.mint(claims, header);
}

/** A repository that nothing else is about. */
export function freshRepository(world: World): ClaimValues {
  const id = String(800_000_000_000 + Number.parseInt(world.uuid().slice(-9), 16));
  return {
    repository: `conform-${id}/project`,
    repository_id: id,
    repository_owner: `conform-${id}`,
    repository_owner_id: `7${id}`,
  };
}

export function privateRepository(world: World): ClaimValues {
  return { ...freshRepository(world), repository_visibility: "private" };
}

export async function exchange(world: World, json: Readonly<Record<string, unknown>>): Promise<Answer> {
  return await world.ask({ method: "POST", path: EXCHANGE, as: "nobody", json });
}

export type Job = {
  readonly agentId: string;
  readonly capability: string;
  readonly answer: Answer;
  /** Of its repository. */
  readonly claims: ClaimValues;
};

/** A job that has a capability, of a repository of its own unless the claims name one. */
export async function makeJob(
  world: World,
  claims: ClaimValues = freshRepository(world),
  more: Readonly<Record<string, unknown>> = {},
): Promise<Job> {
  const answer = expectStatus(await exchange(world, { subject_token: mint(world, claims), ...more }), 200);
  return { agentId: textOf(answer, "agent_id"), capability: textOf(answer, "access_token"), answer, claims };
}

/** One job that most statements share. */
export async function job(world: World): Promise<Job> {
  return await world.once("job", () => makeJob(world));
}

/** A job of a private repository that nobody has claimed. */
export async function privateJob(world: World): Promise<Job> {
  return await world.once("private job", () => makeJob(world, privateRepository(world)));
}

/** A private repository's job whose agent the account has claimed, and the answers on the way. */
export async function claimedJob(
  world: World,
): Promise<Job & { readonly pending: Answer; readonly claim: string }> {
  return await world.once("claimed job", async () => {
    const { claims, answer, agentId } = await makeJob(world, privateRepository(world));
    const claim = textOf(answer, "claim_url").split("/").at(-1) ?? "";
    const pending = await world.post("/v1/ci/claim", { claim });
    expectStatus(pending, 202);
    const account = await accountOf(world, "owner");
    const accepted = await makeJob(world, claims, { account });
    world.atEnd(`agent ${agentId}`, () => world.post(`/v1/agents/${agentId}/retire`, undefined));
    return { ...accepted, pending, claim };
  });
}
