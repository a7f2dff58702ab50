// What an agent's runs may reach of the network: set with the owner's key, gone with the claim; what a run asks for beyond it is
// withheld, and said in its stream.

import { expect, it } from "vitest";
import { runCommand } from "../support/run/run-command.ts";
import type { Answer } from "../support/service-client.ts";
import { expectProblem, onEveryDeployment } from "./every-deployment.ts";

onEveryDeployment("policies on the network", (service) => {
  const patch = (bearer: string, agentId: string, json: unknown): Promise<Answer> =>
    service().call(`/v1/agents/${agentId}`, { method: "PATCH", bearer, json });

  it("are shown, set as a whole, and cleared, in one spelling", async () => {
    const { owner, ai, agentId } = await service().accountWithAgent();
    const plain = await owner.agents.get({ agentId });
    expect(plain).not.toHaveProperty("egress");
    for (const [egress, shown] of [
      ["none", "none"],
      ["setup", "setup"],
      [["registries"], "registries"],
      [
        ["registries", "Docs.Example.com", "docs.example.com:443", "*.example.com:8443"],
        ["registries", "docs.example.com", "*.example.com:8443"],
      ],
    ] as const) {
      const set = await owner.agents.update({
        agentId,
        body: { egress: typeof egress === "string" ? egress : [...egress] },
      });
      expect(set).toEqual({ ...plain, egress: shown });
      expect(await ai.agents.get({ agentId })).toEqual(set);
    }
    expect(await owner.agents.update({ agentId, body: { egress: null } })).toEqual(plain);
  });

  it("are the owner's alone to set, not an AI client's, and not to clear either", async () => {
    const { owner, ownerKey, aiKey, agentId } = await service().accountWithAgent();
    await owner.agents.update({ agentId, body: { egress: "setup" } });
    for (const egress of [null, "registries", ["evil.example"]]) {
      const refused = await patch(aiKey, agentId, { egress, advisor_max_spend_micro_usd: 1 });
      expectProblem(refused, [403, "owner_needed"]);
      expect(refused.text).toContain("set what an agent may reach of the network");
    }
    const stranger = await service().account();
    expectProblem(await patch(stranger.ownerKey, agentId, { egress: null }), [403, "forbidden"]);
    for (const wrong of [[], "all", ["10.0.0.1"], ["https://a.example"], { hosts: ["a.example"] }]) {
      const refused = await patch(ownerKey, agentId, { egress: wrong });
      expectProblem(refused, [400, "invalid_request"]);
      expect(refused.text).toContain("must be none, or a list of host names");
    }
    const { advisor_max_spend_micro_usd, egress } = await owner.agents.get({ agentId });
    expect([advisor_max_spend_micro_usd, egress]).toEqual([undefined, "setup"]);
  });

  it("cap what a job asks for, which says so in the run's stream; an agent that nobody owns has none", async () => {
    const job = await service().job(service().freshRepository());
    const { body } = await service().call(`/v1/agents/${job.agentId}/runs`, {
      method: "POST",
      bearer: job.bearer,
      json: { message: "Go on.", egress: ["registries", "docs.example.com"] },
    });
    const events = await job.follow((body as { run_id: string }).run_id);
    expect(
      events.filter(({ event }) => "name" in event && event.name === "egress").map(({ event }) => event),
    ).toEqual([
      {
        type: "CUSTOM",
        name: "egress",
        value: { withheld: ["registries", "docs.example.com"], allowed: [], blocked: [] },
      },
    ]);
    const refused = await service().call(`/v1/agents/${job.agentId}/runs`, {
      method: "POST",
      bearer: job.bearer,
      json: { message: "Go on.", egress: ["127.0.0.1"] },
    });
    expectProblem(refused, [400, "invalid_request"]);
  });

  it("are shown and set by the command", async () => {
    const { ownerKey, aiKey, agentId } = await service().accountWithAgent();
    const network = async (key: string, ...flags: string[]) => {
      const env = { AGENT_SERVICE_URL: service().url(), AGENT_SERVICE_KEY: key };
      return await runCommand(["agents", "network", agentId, ...flags], env);
    };
    expect((await network(ownerKey)).stdout).toContain("The agent has no network policy");
    const set = await network(ownerKey, "--allow", "registries, docs.example.com");
    expect([set.code, set.stdout]).toEqual([0, expect.stringContaining("registries, docs.example.com")]);
    expect(JSON.parse((await network(aiKey, "--json")).stdout)).toEqual(["registries", "docs.example.com"]);
    expect((await network(aiKey, "--clear")).stderr).toContain("owner");
    expect((await network(ownerKey, "--clear", "--allow", "none")).code).toBe(2);
    const env = { AGENT_SERVICE_URL: service().url(), AGENT_SERVICE_KEY: ownerKey };
    const asked = ["--egress", "registries, docs.example.com"];
    const run = await runCommand(["runs", "submit", agentId, "Go on.", ...asked, "--follow"], env);
    // The operator of this service allows nothing.
    expect(run.stdout + run.stderr).toContain(
      "The run asked for registries, docs.example.com of the network",
    );
    expect((await network(ownerKey, "--clear")).stdout).toContain("The agent has no network policy");
  });
});
