// agent-service agents: the agents of an account, over the API.

import type { Agent } from "../client/client.ts";
import { openClient, serviceFlags } from "./account.ts";
import { policy } from "./agent-policy.ts";
import { readFlags, runVerb, takeArguments } from "./flags.ts";
import { printFields, printJson, printTable } from "./print.ts";

/** Resolves to the exit code. Throws UsageError, or as the client does. */
export async function agents(args: readonly string[]): Promise<number> {
  return await runVerb("agents", { list, create, get, policy }, args);
}

async function list(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  takeArguments("agents list", positionals);
  const found = await openClient(values).agents.list({ query: { include_independent: true } });
  if (values.json === true) printJson(found);
  else if (found.length === 0) {
    process.stderr.write('There are no agents. "agent-service agents create <name>" makes one.\n');
  } else {
    const rows = found.map((agent) => [agent.id, agent.name, agent.model, agent.created_at]);
    printTable(["ID", "NAME", "MODEL", "CREATED"], rows);
  }
  return 0;
}

async function create(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, {
    ...serviceFlags,
    model: { type: "string" },
    "or-get": { type: "boolean" },
  });
  const [name = ""] = takeArguments("agents create <name>", positionals);
  const agent = await openClient(values).agents.create({
    body: {
      name,
      ...(values.model === undefined ? {} : { model: values.model }),
      ...(values["or-get"] === true ? { if_exists: "return" } : {}),
    },
  });
  if (values.json === true) printJson(agent);
  else {
    process.stdout.write(agent.existing === true ? "It was there:\n" : "Made:\n");
    printAgent(agent);
  }
  return 0;
}

async function get(args: readonly string[]): Promise<number> {
  const { values, positionals } = readFlags(args, serviceFlags);
  const [agentId = ""] = takeArguments("agents get <agent>", positionals);
  const agent = await openClient(values).agents.get({ agentId });
  if (values.json === true) printJson(agent);
  else printAgent(agent);
  return 0;
}

function printAgent(agent: Agent): void {
  const { config, ci_policy: policy, ...fields } = agent;
  printFields({
    ...fields,
    ...(Object.keys(config).length > 0 ? { config: JSON.stringify(config) } : {}),
    ...(policy ? { ci_policy: JSON.stringify(policy) } : {}),
  });
}
