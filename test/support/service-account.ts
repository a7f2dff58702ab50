// An account with its keys and an agent on a core fixture, and the API to use them through.

import { makeApiKey, openAccount } from "../../src/service/core/accounts/keys.ts";
import { type Agent, newAgent } from "../../src/service/core/agents/agent.ts";
import type { Plan } from "../../src/service/core/money/plan.ts";
import type { CoreFixture } from "./fixtures/core-fixture.ts";
import { openHttpApi } from "./service-api.ts";
import { type Answer, type Call, call } from "./service-client.ts";

export type TestAccount = {
  readonly id: string;
  /** Who owns it. */
  readonly personId: string;
  /** The owner's secret. */
  readonly owner: string;
  /** The secret of an AI client that acts for the owner. */
  readonly aiClient: string;
  readonly agent: Agent;
};

export async function makeAccount(
  fixture: CoreFixture,
  plan: Plan = "registered_free",
): Promise<TestAccount> {
  const { core } = fixture;
  const account = await openAccount(core, plan);
  const make = async (callerClass: "owner" | "ai_client") =>
    (await makeApiKey(core, { accountId: account.id, callerClass, name: callerClass })).secret;
  const agent = newAgent({
    id: core.random.uuid(core.clock.now()),
    accountId: account.id,
    name: "helper",
    backend: core.policy.backend,
    createdAt: core.clock.now(),
  });
  await core.store.transact((tx) => tx.agents.insert(agent));
  return {
    id: account.id,
    personId: account.ownerId,
    owner: await make("owner"),
    aiClient: await make("ai_client"),
    agent,
  };
}

/** The fixture's API, called by path. */
export async function openCaller(
  fixture: CoreFixture,
): Promise<{ send(path: string, options?: Call): Promise<Answer>; close(): Promise<void> }> {
  const api = await openHttpApi(fixture);
  return { send: (path, options) => call(api.url + path, options), close: () => api.close() };
}
