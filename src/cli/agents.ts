// agent-service agents: the agents of an account, over the API.

import { dollars, matching, oneOf } from "../base/settings/kinds.ts";
import type { Agent } from "../client/client.ts";
import {
  type CiPolicy,
  type CiPolicyRule,
  ciPolicyRules,
  LEAST_USD_PER_DAY,
  MOST_USD_PER_DAY,
  mcpServerSources,
  shareModes,
} from "../contract/agents/ci-policy.ts";
import { egressKind, egressText, entriesOf, policyOf } from "../contract/egress.ts";
import { chosenAccessKinds } from "../contract/repository-access.ts";
import { openClient, serviceFlags } from "./account.ts";
import { agentArgument, findAgentId } from "./agent-name.ts";
import { type CommandGroup, command } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { anyText, argument, listFlag, switchFlag, UsageError, valueFlag } from "./flags.ts";
import { printFields, printJson, printTable } from "./print.ts";

const list = command({
  summary: "List the agents of the key's account.",
  flags: serviceFlags,
  examples: ["agents list", "agents list --json"],
  run: async ({ flags }) => {
    const found = await openClient(flags).agents.list({ query: { include_independent: true } });
    if (flags.json) printJson(found);
    else if (found.length === 0) {
      process.stderr.write('There are no agents. "agent-service agents create <name>" makes one.\n');
    } else {
      const rows = found.map(({ id, name, model, created_at, retired_at = "-" }) => [
        id,
        name,
        model,
        created_at,
        retired_at,
      ]);
      printTable(["ID", "NAME", "MODEL", "CREATED", "RETIRED"], rows);
    }
    return 0;
  },
});

const create = command({
  summary: "Make an agent.",
  arguments: {
    name: argument(anyText, "The agent's name. Agents may share one: commands then ask for an id."),
  },
  flags: {
    ...serviceFlags,
    model: valueFlag({
      kind: matching("the name of a model, without spaces", /^\S+$/),
      fallback: null,
      takes: "<slug>",
      description: "The model of its runs.",
      shownDefault: "the service's",
    }),
    "or-get": switchFlag("Show the agent of this name where there is one, instead of making another."),
  },
  examples: ["agents create helper", "agents create helper --or-get"],
  run: async ({ arguments: { name }, flags }) => {
    const agent = await openClient(flags).agents.create({
      body: {
        name,
        ...(flags.model === null ? {} : { model: flags.model }),
        ...(flags["or-get"] ? { if_exists: "return" } : {}),
      },
    });
    if (flags.json) printJson(agent);
    else {
      process.stdout.write(agent.existing === true ? "The agent exists:\n" : "Made:\n");
      printAgent(agent);
    }
    return 0;
  },
});

const get = command({
  summary: "Show an agent.",
  arguments: { agent: agentArgument },
  flags: serviceFlags,
  examples: ["agents get helper"],
  run: async ({ arguments: { agent: given }, flags }) => {
    const client = openClient(flags);
    const agent = await client.agents.get({ agentId: await findAgentId(client, given) });
    if (flags.json) printJson(agent);
    else printAgent(agent);
    return 0;
  },
});

const policy = command({
  summary: "Show or set which CI jobs may run a repository's agent.",
  notes: [
    "Without flags, shows the policy. Each list that is given replaces the one before; the others stay as they are. A * stands for the rest of one segment of a ref.",
  ],
  arguments: { agent: agentArgument },
  flags: {
    ...serviceFlags,
    "allow-event": listFlag({ takes: "<name>", description: "An event that a job must have. Repeatable." }),
    "allow-ref": listFlag({ takes: "<ref>", description: "A ref that a job must have. Repeatable." }),
    "allow-workflow": listFlag({
      takes: "<file[@ref]>",
      description: "A workflow that a job must be in. Repeatable.",
    }),
    "allow-actor": listFlag({
      takes: "<id>",
      description: "An actor that must have started a job. Repeatable.",
    }),
    "max-usd-per-day": valueFlag({
      kind: dollars({ min: LEAST_USD_PER_DAY, max: MOST_USD_PER_DAY }),
      fallback: null,
      takes: "<dollars>",
      description: "What the models of the jobs' runs may cost in a day (UTC), in US dollars.",
      shownDefault: "stays as it is",
    }),
    "mcp-servers": valueFlag({
      kind: oneOf(mcpServerSources),
      fallback: null,
      takes: "<whose>",
      description:
        "Whose MCP servers runs may have, beside the operator's: none, workflow, or repository (its .mcp.json too).",
      shownDefault: "stays as it is",
    }),
    share: valueFlag({
      kind: oneOf(shareModes),
      fallback: null,
      takes: "<mode>",
      description: "Whether the link in a job's log opens its run's page for everybody: log or off.",
      shownDefault: "stays as it is",
    }),
    "mint-keys": valueFlag({
      kind: oneOf(["on", "off"]),
      fallback: null,
      takes: "<mode>",
      description: "Whether jobs that a writer starts may get an access token for the account: on or off.",
      shownDefault: "stays as it is",
    }),
    clear: switchFlag("Remove every list first. Alone: allow all jobs of the repository."),
  },
  examples: [
    "agents policy my-repository",
    "agents policy my-repository --allow-event push --allow-ref refs/heads/main",
    "agents policy my-repository --clear",
  ],
  run: async ({ arguments: { agent: given }, flags }) => {
    const lists: CiPolicy = {
      ...(flags["allow-event"] === null ? {} : { events: [...flags["allow-event"]] }),
      ...(flags["allow-ref"] === null ? {} : { refs: [...flags["allow-ref"]] }),
      ...(flags["allow-workflow"] === null ? {} : { workflows: [...flags["allow-workflow"]] }),
      ...(flags["allow-actor"] === null ? {} : { actors: [...flags["allow-actor"]] }),
      ...(flags["max-usd-per-day"] === null ? {} : { max_usd_per_day: flags["max-usd-per-day"] / 1_000_000 }),
      ...(flags["mcp-servers"] === null ? {} : { mcp_servers: flags["mcp-servers"] }),
      ...(flags.share === null ? {} : { share: flags.share }),
      ...(flags["mint-keys"] === null ? {} : { mint_keys: flags["mint-keys"] === "on" }),
    };
    const client = openClient(flags);
    const agentId = await findAgentId(client, given);
    const isSet = Object.keys(lists).length > 0;
    let agent = flags.clear ? null : await client.agents.get({ agentId });
    if (isSet || flags.clear) {
      const before = flags.clear ? null : agent?.ci_policy;
      const body = { ci_policy: isSet ? { ...before, ...lists } : null };
      agent = await client.agents.update({ agentId, body });
    }
    if (agent?.ci_policy === undefined) {
      throw new CommandError(
        `Agent ${agentId} has no repository, so that no CI job runs it and it has no policy.`,
      );
    }
    if (flags.json) printJson(agent.ci_policy);
    else printPolicy(agent.ci_policy);
    return 0;
  },
});

const network = command({
  summary: "Show or set what an agent's runs may reach of the network.",
  notes: [
    "Without flags, shows the policy. A run has it unless it asks for less; the operator of the service may allow less.",
  ],
  arguments: { agent: agentArgument },
  flags: {
    ...serviceFlags,
    allow: valueFlag({
      kind: egressKind,
      fallback: null,
      takes: "<policy>",
      description:
        "none, setup (package registries while a run's setup executes), registries, or names of hosts, separated by commas.",
      shownDefault: "stays as it is",
    }),
    clear: switchFlag("Remove the policy: runs have what they ask for, within what the operator allows."),
  },
  examples: [
    "agents network my-repository",
    "agents network my-repository --allow registries,docs.example.com",
    "agents network my-repository --clear",
  ],
  run: async ({ arguments: { agent: given }, flags }) => {
    if (flags.clear && flags.allow !== null) {
      throw new UsageError("--allow and --clear exclude each other: give one of them.");
    }
    const client = openClient(flags);
    const agentId = await findAgentId(client, given);
    const egress = flags.allow === null ? null : policyOf(flags.allow);
    const isSet = flags.clear || egress !== null;
    const agent = isSet
      ? await client.agents.update({ agentId, body: { egress } })
      : await client.agents.get({ agentId });
    if (flags.json) printJson(agent.egress ?? null);
    else if (agent.egress === undefined) {
      process.stdout.write(
        "The agent has no network policy: its runs have what they ask for, within what the operator allows.\n",
      );
    } else printFields({ egress: egressText(entriesOf(agent.egress)) });
    return 0;
  },
});

const access = command({
  summary: "Show or choose how the service reads an agent's repository without a job.",
  notes: [
    "Without flags, shows what is chosen. Only the owner's key may choose. A deploy key stays the same until it is removed: add the public key that is printed to the repository, without write access.",
  ],
  arguments: { agent: agentArgument },
  flags: {
    ...serviceFlags,
    use: valueFlag({
      kind: oneOf(chosenAccessKinds),
      fallback: null,
      takes: "<kind>",
      description: "deploy_key (git over ssh) or github_app (the service's GitHub App).",
      shownDefault: "stays as it is",
    }),
    remove: switchFlag("Take the access away: runs work on what jobs send."),
  },
  examples: [
    "agents access my-repository",
    "agents access my-repository --use deploy_key",
    "agents access my-repository --remove",
  ],
  run: async ({ arguments: { agent: given }, flags }) => {
    if (flags.remove && flags.use !== null) {
      throw new UsageError("--use and --remove exclude each other: give one of them.");
    }
    const client = openClient(flags);
    const agentId = await findAgentId(client, given);
    const chosen = flags.remove
      ? await client.repositoryAccess.delete({ agentId })
      : flags.use === null
        ? await client.repositoryAccess.get({ agentId })
        : await client.repositoryAccess.put({ agentId, body: { kind: flags.use } });
    if (flags.json) printJson(chosen);
    else printFields(chosen);
    return 0;
  },
});

const revokeLinks = command({
  summary: "Revoke every link to a run of an agent that a job's log shows.",
  notes: [
    "Jobs that follow print new links. To print none, set the policy: agents policy <agent> --share off.",
  ],
  arguments: { agent: agentArgument },
  flags: serviceFlags,
  examples: ["agents revoke-links my-repository"],
  run: async ({ arguments: { agent: given }, flags }) => {
    const client = openClient(flags);
    const agentId = await findAgentId(client, given);
    await client.agents.revokeLinks({ agentId });
    if (flags.json) printJson({ agent_id: agentId });
    else process.stdout.write("Revoked: no link that was printed before opens a run's page.\n");
    return 0;
  },
});

const remove = command({
  summary: "Delete an agent. Its runs end, its schedules are cancelled, and what it has stored goes.",
  notes: [
    "Only the owner's key may. The records of its runs stay, and so do the workspaces that it worked in; of one that it manages another manager has to be chosen first.",
  ],
  arguments: { agent: agentArgument },
  flags: serviceFlags,
  examples: ["agents delete helper"],
  run: async ({ arguments: { agent: given }, flags }) => {
    const client = openClient(flags);
    const agentId = await findAgentId(client, given);
    await client.agents.delete({ agentId });
    if (flags.json) printJson({ agent_id: agentId });
    else process.stdout.write(`Deleted: agent ${agentId}. Its runs in flight end as cancelled.\n`);
    return 0;
  },
});

export const agents: CommandGroup = {
  summary: "The agents of an account.",
  commands: { list, create, get, policy, network, access, "revoke-links": revokeLinks, delete: remove },
};

function printAgent(agent: Agent): void {
  const { config, ci_policy: policy, egress, ...fields } = agent;
  printFields({
    ...fields,
    ...(egress === undefined ? {} : { egress: egressText(entriesOf(egress)) }),
    ...(Object.keys(config).length > 0 ? { config: JSON.stringify(config) } : {}),
    ...(policy ? { ci_policy: JSON.stringify(policy) } : {}),
  });
}

function printPolicy(policy: CiPolicy | null): void {
  if (policy === null) process.stdout.write("Every CI job of the repository may run the agent.\n");
  else {
    const words = (rule: CiPolicyRule) => policy[rule]?.join(", ") ?? "any";
    const perDay = policy.max_usd_per_day;
    printFields({
      ...Object.fromEntries(ciPolicyRules.map((rule) => [rule, words(rule)])),
      ...(perDay === undefined ? {} : { max_usd_per_day: perDay }),
      ...(policy.mcp_servers === undefined ? {} : { mcp_servers: policy.mcp_servers }),
      ...(policy.share === undefined ? {} : { share: policy.share }),
      ...(policy.mint_keys === undefined ? {} : { mint_keys: policy.mint_keys ? "on" : "off" }),
    });
  }
}
