// The forms of an agent's page: each is a use case of the owner, and a redirect.

import type { Hono } from "hono";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../../base/result.ts";
import { MAX_AGENT_NAME_CHARS } from "../../../../../contract/agents/agent.ts";
import { mcpServerNamePattern } from "../../../../../contract/runs/mcp-server-name.ts";
import type { AccountCaller } from "../../../../core/accounts/caller.ts";
import { deleteAgent } from "../../../../core/agent-endings/delete-agent.ts";
import { findAgent, updateAgent } from "../../../../core/agents/manage-agent.ts";
import { answerQuestion } from "../../../../core/questions/answer-question.ts";
import {
  chooseRepositoryAccess,
  removeRepositoryAccess,
} from "../../../../core/repository-access/manage-access.ts";
import { grantAudience, revokeAudience } from "../../../../core/run-identity/manage-audiences.ts";
import { cancelSchedule } from "../../../../core/schedules/cancel-schedule.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { activateWorkflow, executeWorkflow } from "../../../../core/workflows/workflows.ts";
import { grantWrites, revokeWrites } from "../../../../core/write-grants/manage-grants.ts";
import { EVERY_SERVER } from "../../../../core/write-grants/write-grant.ts";
import type { FaceParts } from "../../../http/face.ts";
import { type Refusal, toProblem } from "../../../shared/problems/to-problem.ts";
import { readForm } from "../../form.ts";
import type { WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { accessForm } from "./access-section.ts";
import { type AgentPart, agentParts } from "./agent-part.ts";
import { MAX_MESSAGE_CHARS, typedName } from "./agent-sections.ts";
import { audienceForm } from "./audience-section.ts";
import { policyForm, policyOf } from "./policy-form.ts";

const MICRO_PER_USD = 1_000_000;
const MAX_USD = 1_000_000;
/** A character of a message may take nine bytes of a form. */
const MAX_FORM_BYTES = 256 * 1024;
const id = z.string().check(z.minLength(1), z.maxLength(100));

const version = z.pipe(
  z.pipe(
    z.string().check(z.maxLength(9)),
    z.transform((text: string) => Number(text)),
  ),
  z.int().check(z.minimum(1)),
);

type ShowPage = (
  context: WebContext,
  session: WebSession,
  shown: { readonly part: AgentPart; readonly alert: string | null },
) => Promise<Response>;

type Act<Form> = FaceParts & {
  readonly caller: AccountCaller;
  readonly agentId: string;
  readonly requestId: string;
  readonly form: Form;
  readonly context: WebContext;
};

/** The destination; a text is an obstacle. */
type Outcome = Result<Done, string | Refusal>;

type FormRoute<Schema extends z.ZodMiniType> = {
  readonly path: string;
  /** The part of the page that has the form. */
  readonly part: AgentPart;
  readonly schema: Schema;
  /** Whether it takes a fresh proof of who is there. */
  readonly isRecent: (form: z.output<Schema>) => boolean;
  act(act: Act<z.output<Schema>>): Promise<Outcome>;
};

export function addAgentForms(routes: Hono<WebEnv>, show: ShowPage): void {
  const add = <Schema extends z.ZodMiniType>({ path, part, schema, isRecent, act }: FormRoute<Schema>) =>
    routes.post(`/agent/:agentId/${path}`, async (context) => {
      const form = await readForm(context, schema, MAX_FORM_BYTES);
      const needsProof = form.ok && isRecent(form.value);
      const session = needsProof ? await needRecent(context) : await needSession(context);
      if (session instanceof Response) return backToPage(context, { part, answer: session });
      if (!form.ok) return await show(context, session, { part, alert: form.refusal });
      const agentId = context.req.param("agentId") ?? "";
      const done = await act({
        ...context.get("parts"),
        caller: personIn(session),
        agentId,
        requestId: context.get("requestId"),
        form: form.value,
        context,
      });
      if (!done.ok) {
        const { refusal } = done;
        const alert = typeof refusal === "string" ? refusal : toProblem(refusal).message;
        return await show(context, session, { part, alert });
      }
      return context.redirect(addressOf(agentId, { part, done: done.value }), 303);
    });

  for (const form of runForms) add(form as FormRoute<z.ZodMiniType>);
  for (const form of ownerForms) add(form as FormRoute<z.ZodMiniType>);
}

type Done = { readonly runId: string } | "home" | null;

function addressOf(agentId: string, { part, done }: { part: AgentPart; done: Done }): string {
  if (done === "home") return "/";
  const id = encodeURIComponent(agentId);
  return done === null ? agentParts[part].path(id) : `${agentParts.runs.path(id)}/runs/${done.runId}`;
}

/** The page that has the form: at the form's own address there is none. */
function backToPage(
  context: WebContext,
  { part, answer }: { readonly part: AgentPart; readonly answer: Response },
): Response {
  const path = agentParts[part].path(encodeURIComponent(context.req.param("agentId") ?? ""));
  const again = (answer.headers.get("location") ?? "").includes("again=1") ? "&again=1" : "";
  return context.redirect(`/sign-in?to=${encodeURIComponent(path)}${again}`, 303);
}

function defineForm<Schema extends z.ZodMiniType>(
  path: string,
  schema: Schema,
  act: FormRoute<Schema>["act"],
  isRecent: FormRoute<Schema>["isRecent"] = () => false,
): FormRoute<Schema> {
  const part = partOf(path);
  return { path, part, schema, isRecent, act };
}

function partOf(path: string): AgentPart {
  if (path.startsWith("schedules/") || path.startsWith("workflows/")) return "schedules";
  return path === "runs" || path.startsWith("questions/") ? "runs" : "settings";
}

/** They make a run, or end one's schedule. */
const runForms = [
  defineForm(
    "runs",
    z.object({
      message: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_MESSAGE_CHARS)),
      session: z._default(z.string().check(z.maxLength(100)), ""),
      key: id,
    }),
    async ({ submitter, caller, agentId, form: { message, session, key } }) =>
      await submitter.submit({
        caller,
        agentId,
        idempotencyKey: `web:${key}`,
        canBeAnswered: true,
        body: { message, may_park: true, ...(session === "" ? {} : { session_id: session }) },
      }),
  ),
  defineForm(
    "questions/:runId",
    z.object({
      answer: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_MESSAGE_CHARS)),
      asked_at: z.optional(z.iso.datetime()),
    }),
    async ({ core, submitter, caller, form: { answer, asked_at: askedAt }, context }) =>
      await answerQuestion(core, submitter, {
        caller,
        answer,
        runId: context.req.param("runId") ?? "",
        askedAt: askedAt === undefined ? null : Date.parse(askedAt),
        mayPark: true,
      }),
  ),
  defineForm("schedules/cancel", z.object({ id }), async ({ core, caller, agentId, form }) =>
    none(await cancelSchedule(core, { caller, agentId, scheduleId: form.id })),
  ),
  defineForm(
    "workflows/run",
    z.object({ id, version }),
    async ({ core, submitter, caller, agentId, form }) => {
      const workflow = await core.store.committed.workflows.find(form.id);
      if (workflow?.agentId !== agentId)
        return refused({ reason: "workflow_not_found", workflowId: form.id });
      return await executeWorkflow(core, submitter, {
        caller,
        workflowId: form.id,
        input: null,
        idempotencyKey: null,
        version: form.version,
        mayPark: true,
      });
    },
  ),
];

/** They change what the agent and its clients may do: somebody who is there decides it. */
const ownerForms = [
  defineForm(
    "workflows/activate",
    z.object({ id, version }),
    async ({ core, caller, agentId, form }) => {
      const workflow = await core.store.committed.workflows.find(form.id);
      if (workflow?.agentId !== agentId)
        return refused({ reason: "workflow_not_found", workflowId: form.id });
      return none(await activateWorkflow(core, { caller, workflowId: form.id, version: form.version }));
    },
    () => true,
  ),
  defineForm(
    "grants",
    z.object({
      change: z.enum(["grant", "revoke"]),
      server: z.string().check(
        z.trim(),
        z.refine(
          (name) => name === EVERY_SERVER || mcpServerNamePattern.test(name),
          'must be the name of an MCP server, or "*"',
        ),
      ),
    }),
    async ({ core, caller, agentId, requestId, form: { change, server } }) => {
      const apply = change === "grant" ? grantWrites : revokeWrites;
      return none(await apply(core, { caller, agentId, server, requestId }));
    },
    ({ change }) => change === "grant",
  ),
  defineForm(
    "audiences",
    audienceForm,
    async ({ core, caller, agentId, requestId, form: { change, audience, runs } }) => {
      const named = { caller, agentId, requestId, audience };
      if (change === "revoke") return none(await revokeAudience(core, named));
      return none(await grantAudience(core, { ...named, allowsUntrusted: runs === "all" }));
    },
    ({ change }) => change === "grant",
  ),
  defineForm(
    "policy",
    policyForm,
    async ({ core, caller, agentId, requestId, form }) => {
      const policy = policyOf(form);
      if (!policy.ok) return policy;
      return none(await updateAgent(core, { caller, agentId, requestId, body: { ci_policy: policy.value } }));
    },
    () => true,
  ),
  defineForm(
    "access",
    accessForm,
    async ({ core, caller, agentId, requestId, form: { use } }) => {
      const change = { caller, agentId, requestId };
      if (use === "none") return none(await removeRepositoryAccess(core, change));
      return none(await chooseRepositoryAccess(core, { ...change, kind: use }));
    },
    ({ use }) => use !== "none",
  ),
  defineForm(
    "advisor",
    z.object({ usd: z.string().check(z.trim(), z.maxLength(20)) }),
    async ({ core, caller, agentId, requestId, form: { usd } }) => {
      const amount = Number(usd);
      if (!(amount >= 0 && amount <= MAX_USD))
        return refused("The cap must be US dollars, such as 0.50, or empty.");
      const cap = usd === "" ? null : Math.round(amount * MICRO_PER_USD);
      const body = { advisor_max_spend_micro_usd: cap };
      return none(await updateAgent(core, { caller, agentId, requestId, body }));
    },
  ),
  defineForm(
    "delete",
    z.object({ name: z.string().check(z.maxLength(MAX_AGENT_NAME_CHARS)) }),
    async ({ core, caller, agentId, requestId, form: { name } }) => {
      const found = await findAgent(core, { caller, agentId });
      if (!found.ok) return found;
      const typed = typedName(found.value.name);
      if (name.trim() !== typed) return refused(`Nothing was deleted. Type the agent's name: ${typed}`);
      const deleted = await deleteAgent(core, { caller, agentId, requestId });
      return deleted.ok ? ok("home") : deleted;
    },
    () => true,
  ),
];

function none<Refused>(result: Result<unknown, Refused>): Result<null, Refused> {
  return result.ok ? ok(null) : result;
}
