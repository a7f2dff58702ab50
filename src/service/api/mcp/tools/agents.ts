// The tools of agents.

import * as z from "zod/mini";
import { type Agent, agentSchema } from "../../../../contract/agents/agent.ts";
import { agentRoutes } from "../../../../contract/agents/routes.ts";
import { field } from "../../../../contract/field.ts";
import { agentHandlers } from "../../http/handlers/agents.ts";
import { cut, linesOf, omittedSchema, part } from "../answer-part.ts";
import { agentUri } from "../resource-uri.ts";
import { answer, said, tool } from "../tool.ts";
import { atMost } from "../tool-input.ts";

const MAX_LISTED = 50;

/** Without its config, which may be large and nobody but its creator understands. */
const toolAgent = part(agentSchema, [
  "id",
  "name",
  "model",
  "backend",
  "created_at",
  "retired_at",
  "advisor_max_spend_micro_usd",
]);

function agentLine({ id, name, model, retired_at }: Pick<Agent, "id" | "name" | "model" | "retired_at">) {
  return `${name} (${id}): ${model}${retired_at === undefined ? "" : ", retired"}`;
}

export const agentTools = [
  tool(agentRoutes.list, {
    name: "list_agents",
    title: "List agents",
    description:
      "The account's agents, newest first. An agent is a long-lived worker: prefer one that is there.",
    hints: { isReadOnly: true },
    takes: [],
    adds: {
      include_retired: field(z.optional(z.boolean()), "Retired agents too, which take no work."),
      limit: atMost(MAX_LISTED, MAX_LISTED, "Agents"),
    },
    output: z.object({ agents: z.array(toolAgent.schema), omitted: omittedSchema }),
    run: async ({ own, ...request }, { core }) =>
      said(await agentHandlers(core).list({ ...request, query: { include_independent: false } }), (all) => {
        const wanted = all.filter(
          ({ retired_at }) => own.include_retired === true || retired_at === undefined,
        );
        const { items, ...more } = cut(wanted, own.limit);
        const lines = linesOf(items, agentLine, "There are no agents. create_agent makes one.");
        const rest = more.omitted === undefined ? "" : `\nand ${more.omitted} more`;
        return answer({ agents: items.map(toolAgent.of), ...more }, lines + rest);
      }),
  }),
  tool(agentRoutes.get, {
    name: "get_agent",
    title: "Read an agent",
    description: "One agent, by its id or its name. Its config is in the resource that the answer links to.",
    hints: { isReadOnly: true },
    output: toolAgent.schema,
    run: async (request, { core }) =>
      said(await agentHandlers(core).get(request), (agent) => ({
        ...answer(toolAgent.of(agent), agentLine(agent)),
        links: [{ uri: agentUri(agent.id), name: agent.name, mimeType: "application/json" }],
      })),
  }),
  tool(agentRoutes.create, {
    name: "create_agent",
    title: "Make or get an agent",
    description:
      "Makes an agent of this name, or gives the account's agent that has the name already. One long-lived agent is better than many.",
    hints: { isIdempotent: true },
    takes: ["name", "model", "config", "if_exists"],
    fields: {
      if_exists: field(
        z._default(z.enum(["return", "error"]), "return"),
        "`return` gives the account's agent of this name where there is one; `error` makes another.",
      ),
    },
    output: z.extend(toolAgent.schema, { existing: z.optional(z.literal(true)) }),
    run: async (request, { core }) => {
      const made = await agentHandlers(core).create(request);
      return said(made, ({ existing, ...agent }) =>
        existing === undefined
          ? answer(toolAgent.of(agent), `Made ${agentLine(agent)}`)
          : answer({ ...toolAgent.of(agent), existing }, `It was there: ${agentLine(agent)}`),
      );
    },
  }),
];
