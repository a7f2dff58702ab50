// agent-service runs: the runs of an agent, over the API.

import { dollars, integer, line } from "../base/settings/kinds.ts";
import type { Run } from "../client/client.ts";
import { egressKind, policyOf } from "../contract/egress.ts";
import { MAX_IDEMPOTENCY_KEY_CHARS } from "../contract/fields.ts";
import {
  LEAST_MAX_COST_USD,
  MAX_FORK_TURN,
  MAX_PAGE_RUNS,
  MAX_TURN_TOKENS,
  MOST_MAX_COST_USD,
} from "../contract/runs/run-requests.ts";
import { openClient, serviceFlags } from "./account.ts";
import { agentArgument, findAgentId } from "./agent-name.ts";
import { type CommandGroup, command } from "./command.ts";
import { anyText, argument, requiredFlag, switchFlag, valueFlag } from "./flags.ts";
import { followToEnd } from "./follow.ts";
import { printFields, printJson, printTable, printText } from "./print.ts";

export const sessionFlag = valueFlag({
  kind: anyText,
  fallback: null,
  takes: "<id>",
  description: "The session to continue.",
  shownDefault: "a new one",
});
export const keyFlag = valueFlag({
  kind: line({ maxChars: MAX_IDEMPOTENCY_KEY_CHARS }),
  fallback: null,
  takes: "<text>",
  description: "An idempotency key: the same command with the same key starts one run.",
});
export const followFlag = switchFlag("Print the run as it goes, and end with its exit code.");
const runArgument = argument(anyText, "The run's id.");

const submit = command({
  summary: "Submit a run.",
  arguments: { agent: agentArgument, text: argument(anyText, "What the agent is asked.") },
  flags: {
    ...serviceFlags,
    session: sessionFlag,
    "max-turn-tokens": valueFlag({
      kind: integer({ min: 0, max: MAX_TURN_TOKENS }),
      fallback: null,
      takes: "<n>",
      description: "The token budget. 0 is the service's default.",
    }),
    "max-cost": valueFlag({
      kind: dollars({ min: LEAST_MAX_COST_USD, max: MOST_MAX_COST_USD }),
      fallback: null,
      takes: "<dollars>",
      description:
        "The most that the models of the run may cost in US dollars. The model needs a known price.",
      shownDefault: "the service's",
    }),
    egress: valueFlag({
      kind: egressKind,
      fallback: null,
      takes: "<policy>",
      description:
        "What the run may reach of the network, within the agent's policy: none, setup, registries, or names of hosts, separated by commas.",
      shownDefault: "the agent's policy",
    }),
    key: keyFlag,
    follow: followFlag,
  },
  examples: [
    'runs submit helper "Explain this repository" --follow',
    'runs submit helper "Go on" --session <id>',
  ],
  run: async ({ arguments: { agent, text: message }, flags }) => {
    const client = openClient(flags);
    const { session, "max-turn-tokens": maxTurnTokens, "max-cost": maxCost } = flags;
    const submitted = await client.runs.submit({
      agentId: await findAgentId(client, agent),
      body: {
        message,
        ...(session === null ? {} : { session_id: session }),
        ...(maxTurnTokens === null ? {} : { max_turn_tokens: maxTurnTokens }),
        ...(maxCost === null ? {} : { max_cost_usd: maxCost / 1_000_000 }),
        ...(flags.egress === null ? {} : { egress: policyOf(flags.egress) }),
      },
      idempotencyKey: flags.key ?? undefined,
    });
    const { runId, sessionId, replayed } = submitted;
    if (flags.follow) {
      process.stderr.write(`Run ${runId}, session ${sessionId}\n`);
      return await followToEnd(client, { runId, format: flags.json ? "ndjson" : "text" });
    }
    if (flags.json) printJson({ run_id: runId, session_id: sessionId, replayed });
    else printFields({ run: runId, session: sessionId, replayed: replayed ? "by its key" : null });
    return 0;
  },
});

const resume = command({
  summary: "Continue a parked run: with an answer, a higher limit, or as it is.",
  arguments: { run: runArgument },
  flags: {
    ...serviceFlags,
    message: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "The answer to its question, or what else the agent is told.",
    }),
    "max-turn-tokens": valueFlag({
      kind: integer({ min: 1, max: MAX_TURN_TOKENS }),
      fallback: null,
      takes: "<n>",
      description: "The token budget of the whole run. What it has used counts.",
      shownDefault: "as it was",
    }),
    "max-cost": valueFlag({
      kind: dollars({ min: LEAST_MAX_COST_USD, max: MOST_MAX_COST_USD }),
      fallback: null,
      takes: "<dollars>",
      description:
        "The most that the models of the whole run may cost in US dollars. What it has used counts.",
      shownDefault: "as it was",
    }),
    follow: followFlag,
  },
  examples: ['runs resume <run> --message "The second one"', "runs resume <run> --max-cost 5 --follow"],
  run: async ({ arguments: { run: given }, flags }) => {
    const client = openClient(flags);
    const { message, "max-turn-tokens": maxTurnTokens, "max-cost": maxCost } = flags;
    const { run } = await client.ci.readRun({ runId: given, query: { after: 0, wait: 0, limit: 1 } });
    const resumed = await client.runs.resume({
      agentId: run.agent_id,
      runId: given,
      body: {
        ...(message === null ? {} : { message }),
        ...(maxTurnTokens === null ? {} : { max_turn_tokens: maxTurnTokens }),
        ...(maxCost === null ? {} : { max_cost_usd: maxCost / 1_000_000 }),
      },
    });
    if (flags.follow) {
      const format = flags.json ? "ndjson" : "text";
      return await followToEnd(client, { runId: given, format, after: resumed.continued_after ?? 0 });
    }
    if (flags.json) printJson(resumed);
    else printText(`Run ${resumed.run_id} goes on. Follow it: agent-service follow ${resumed.run_id}`);
    return 0;
  },
});

const fork = command({
  summary: "Make a new run that begins at a turn of another one.",
  arguments: { run: runArgument },
  flags: {
    ...serviceFlags,
    from: requiredFlag({
      kind: integer({ min: 1, max: MAX_FORK_TURN }),
      takes: "<turn>",
      description: "The turn that is made anew. The run's page lists those that are kept.",
    }),
    model: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<id>",
      description: "The model of the new run.",
      shownDefault: "the agent's",
    }),
    message: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<text>",
      description: "What the agent is told before that turn.",
    }),
    key: keyFlag,
    follow: followFlag,
  },
  examples: ["runs fork <run> --from 7", 'runs fork <run> --from 7 --message "Keep the API" --follow'],
  run: async ({ arguments: { run: given }, flags }) => {
    const client = openClient(flags);
    const { run } = await client.ci.readRun({ runId: given, query: { after: 0, wait: 0, limit: 1 } });
    const { from: turn, model, message, key } = flags;
    const forked = await client.runs.fork({
      agentId: run.agent_id,
      runId: given,
      body: {
        turn,
        ...(model === null ? {} : { model }),
        ...(message === null ? {} : { message }),
      },
      idempotencyKey: key ?? undefined,
    });
    const { run_id: runId, session_id: sessionId } = forked;
    if (flags.follow) {
      process.stderr.write(`Run ${runId}, session ${sessionId}\n`);
      return await followToEnd(client, { runId, format: flags.json ? "ndjson" : "text" });
    }
    if (flags.json) printJson(forked);
    else printFields({ run: runId, session: sessionId });
    return 0;
  },
});

const list = command({
  summary: "List the runs of an agent, newest first.",
  arguments: { agent: agentArgument },
  flags: {
    ...serviceFlags,
    before: valueFlag({
      kind: anyText,
      fallback: null,
      takes: "<run>",
      description: "Only runs that are older than this one.",
    }),
    limit: valueFlag({
      kind: integer({ min: 1, max: MAX_PAGE_RUNS }),
      fallback: null,
      takes: "<n>",
      description: "How many runs.",
    }),
  },
  examples: ["runs list helper --limit 5"],
  run: async ({ arguments: { agent }, flags }) => {
    const client = openClient(flags);
    const found = await client.runs.list({
      agentId: await findAgentId(client, agent),
      query: { before: flags.before ?? undefined, limit: flags.limit ?? undefined },
    });
    if (flags.json) printJson(found);
    else if (found.length === 0) process.stderr.write("There are no runs here.\n");
    else {
      printTable(
        ["ID", "STATUS", "ORIGIN", "BY", "STARTED", "CREDITS", "CHECKS", "REQUEST"],
        found.map((run) => [
          run.id,
          run.status,
          run.origin,
          run.about?.actor ?? "-",
          startOf(run),
          String(run.credits ?? "-"),
          checksOf(run),
          run.about?.request ?? "-",
        ]),
      );
    }
    return 0;
  },
});

const get = command({
  summary: "Show a run.",
  arguments: { agent: agentArgument, run: runArgument },
  flags: serviceFlags,
  examples: ["runs get helper <run> --json"],
  run: async ({ arguments: { agent, run: runId }, flags }) => {
    const client = openClient(flags);
    const run = await client.runs.get({ agentId: await findAgentId(client, agent), runId });
    if (flags.json) printJson(run);
    else {
      const fields = Object.entries(run).map(([name, value]): [string, string] => [
        name,
        typeof value === "object" ? JSON.stringify(value) : String(value),
      ]);
      printFields(Object.fromEntries(fields));
    }
    return 0;
  },
});

const cancel = command({
  summary: "Cancel a run.",
  arguments: { agent: agentArgument, run: runArgument },
  flags: serviceFlags,
  examples: ["runs cancel helper <run>"],
  run: async ({ arguments: { agent, run: runId }, flags }) => {
    const client = openClient(flags);
    const cancelled = await client.runs.cancel({ agentId: await findAgentId(client, agent), runId });
    if (flags.json) printJson(cancelled);
    else printText(`Run ${cancelled.runId} is being cancelled.`);
    return 0;
  },
});

export const runs: CommandGroup = {
  summary: "The runs of an agent.",
  commands: { submit, list, get, resume, fork, cancel },
};

/** Of a run that has ended. One of an older service says nothing of them. */
function checksOf(run: Run): string {
  return "ended_at" in run ? (run.checks ?? "none") : "-";
}

function startOf(run: Run): string {
  return run.status === "queued" ? "-" : (run.started_at ?? "-");
}
