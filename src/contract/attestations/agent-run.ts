// The signed statement about a commit that an agent made: an in-toto statement, whose predicate says who asked which agent for it. Pure.
// Names of fields as the attestation framework has them: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md
// Why: docs/decisions/171-attested-commits.md

import * as z from "zod/mini";
import { field, object } from "../field.ts";
import { checkKinds, checksStates } from "../runs/checks.ts";

export const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
export const STATEMENT_MEDIA_TYPE = "application/vnd.in-toto+json";
/** An identifier, and no address: nobody can own the host. A change that older verifiers would misread gets another number. */
export const AGENT_RUN = "https://agent-service.example/attestations/agent-run/v1";

const MAX_TEXT_CHARS = 2_000;
const MAX_ITEMS = 200;

const text = z.string().check(z.maxLength(MAX_TEXT_CHARS));
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const gitSha = z.string().check(z.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/));
const list = <Item extends z.ZodMiniType>(item: Item) => z.array(item).check(z.maxLength(MAX_ITEMS));

const askerSchema = object({
  event: field(text, "The event of the code host that started the job: `issue_comment`, `schedule`, `push`."),
  actor: field(
    z.nullable(
      object({
        id: field(text, "The account's number, which a rename does not change."),
        login: field(text, "Its name at that time."),
      }),
    ),
    "The account that asked: the author of the command, or whoever caused the event. Null of a schedule.",
  ),
  comment: field(
    z.nullable(
      object({
        type: field(text, "`issue_comment`, `pull_request_review` and the like."),
        id: field(z.int(), "Its number."),
      }),
    ),
    "The comment or review that holds the request. Null where the event itself is the request.",
  ),
});

const subjectSchema = object({
  type: field(z.enum(["issue", "pull_request", "discussion"]), "What it is."),
  number: field(z.int(), "Its number."),
});

const instructionsSchema = object({
  commit: field(
    gitSha,
    "The commit that they were read at: of a pull request its base, else that of the run.",
  ),
  files: field(
    list(object({ path: field(text, "The path."), sha256: field(sha256, "Of its contents.") })),
    "Files of the repository that configure agents, such as `AGENTS.md`: the first 50, by their paths.",
  ),
  more: field(z.int(), "How many more there are."),
});

const agentSchema = object({
  name: field(
    z.nullable(text),
    "The coding agent, or `built-in`. Null where a service chose it, which the job is not told.",
  ),
  id: field(z.nullable(text), "The agent's id at the service. Null without one."),
  action: field(
    z.nullable(
      object({
        repository: field(text, "The repository of the Action."),
        ref: field(text, "The ref that the workflow names."),
      }),
    ),
    "The Action that made this statement. Null where the runner did not say it.",
  ),
});

const modelSchema = object({
  name: field(text, "The model, as its provider calls it."),
  calls: field(z.int(), "Calls."),
  inputTokens: field(z.int(), "Tokens of input."),
  outputTokens: field(z.int(), "Tokens of output."),
});

const policySchema = object({
  egress: field(
    z.nullable(list(text)),
    "The network that the workflow asked for; empty for none. Null where the agent's owner decided it.",
  ),
  reached: field(list(text), "The hosts that the run reached by the proxy."),
  mcpServers: field(list(text), "MCP servers that the workflow named."),
  writesWithheld: field(
    list(object({ server: field(text, "The MCP server."), tool: field(text, "The tool that was called.") })),
    "Writes by MCP servers that the agent's owner had not allowed.",
  ),
});

const checksSchema = object({
  state: field(
    z.enum(checksStates),
    "`passed`, `failed`, or `none`: nothing was checked since the last edit.",
  ),
  results: field(
    list(
      object({
        command: field(text, "The command, in one line."),
        kind: field(z.enum(checkKinds), "What it checks."),
        exitCode: field(z.nullable(z.int()), "How it ended; null where it was ended at a limit."),
      }),
    ),
    "Each command that checks, as it ended after the agent's last edit.",
  ),
});

export const agentRunSchema = object({
  asker: field(askerSchema, "Who asked."),
  subject: field(
    z.nullable(subjectSchema),
    "What the request is about. Null for a push, a schedule and the like.",
  ),
  prompt: field(
    z.nullable(object({ sha256: field(sha256, "Of the prompt in UTF-8, as the job sent it.") })),
    "What was asked. Null of a job that attached to a run which another job started.",
  ),
  instructions: field(instructionsSchema, "What the repository tells agents."),
  agent: field(agentSchema, "Which agent."),
  models: field(list(modelSchema), "The models that it asked. Empty where they are not known."),
  policy: field(policySchema, "What the run was allowed, as far as its job knows."),
  run: field(
    object({
      id: field(text, "The run's id."),
      sessionId: field(text, "Its session."),
      service: field(text, "The address of the service, or `embedded`: it ran inside the job."),
      startedAt: field(z.nullable(z.iso.datetime()), "When it began."),
      endedAt: field(z.nullable(z.iso.datetime()), "When it ended."),
    }),
    "Which run.",
  ),
  events: field(
    object({
      sha256: field(sha256, "Of the file of the output `events-file`."),
      count: field(z.int(), "How many there are."),
    }),
    "All that the run said of itself.",
  ),
  checks: field(
    z.nullable(checksSchema),
    "Tests, builds and the like, by their exit codes. Null: nothing is known.",
  ),
  cost: field(
    object({
      tokens: field(z.nullable(z.int()), "Tokens; null where they are not known."),
      credits: field(z.nullable(z.int()), "Credits of the service; null without a charge."),
      microUsd: field(
        z.nullable(z.int()),
        "What the models cost by known prices, in millionths of a US dollar.",
      ),
    }),
    "What it cost.",
  ),
  change: field(
    object({
      base: field(gitSha, "The commit that the run worked on."),
      patchId: field(
        z.string().check(z.regex(/^([0-9a-f]{40}([0-9a-f]{24})?)?$/)),
        "Of `git diff-tree -p --no-renames --full-index <commit>^ <commit> | git patch-id --stable`: it finds the change again after a rebase or a squash. Empty of a change without text.",
      ),
    }),
    "What changed.",
  ),
});

export type AgentRun = z.infer<typeof agentRunSchema>;

const digestSchema = z.record(z.string(), z.string());

const namedSubjectSchema = object({
  name: field(z.optional(z.string()), "What it is called."),
  digest: field(digestSchema, "Its hashes, by the names of their algorithms."),
});

export const statementSchema = object({
  _type: field(z.literal(STATEMENT_TYPE), "The form of the statement."),
  subject: field(z.array(namedSubjectSchema).check(z.minLength(1)), "What it is about."),
  predicateType: field(z.string(), "The form of what it says."),
  predicate: field(z.unknown(), "What it says."),
});

/** What is signed. */
export type AgentRunStatement = {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly { readonly name: string; readonly digest: Readonly<Record<string, string>> }[];
  readonly predicateType: typeof AGENT_RUN;
  readonly predicate: AgentRun;
};

/** The name of a commit as a subject. */
export function commitName(repository: string, sha: string): string {
  return `git:${repository}@${sha}`;
}
