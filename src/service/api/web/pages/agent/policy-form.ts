// The owner's policy of a repository's agent, as a form: the CI jobs that may run it, and their cap of cost.

import { html } from "hono/html";
import * as z from "zod/mini";
import { ok, type Result, refused } from "../../../../../base/result.ts";
import {
  type CiPolicy,
  ciPolicyRequestSchema,
  ciPolicyRules,
  mcpServerSources,
  shareModes,
} from "../../../../../contract/agents/ci-policy.ts";
import { decode } from "../../../shared/decode.ts";
import type { Html } from "../../web-context.ts";

const lines = z._default(z.string(), "");

export const policyForm = z.object({
  events: lines,
  refs: lines,
  workflows: lines,
  actors: lines,
  max_usd_per_day: lines,
  mcp_servers: lines,
  share: lines,
  mint_keys: lines,
});

const ruleTexts = {
  events: ["Events", "push or pull_request, one a line. Empty: every event."],
  refs: ["Refs", "refs/heads/main or refs/tags/**, one a line. Empty: every ref."],
  workflows: ["Workflow files", ".github/workflows/agent.yml, one a line. Empty: every file."],
  actors: ["Actors", "The provider's numeric ids, one a line. Empty: everybody who may start a job."],
} as const;

/** Null, which allows every job, where nothing is filled in. */
export function policyOf(form: z.output<typeof policyForm>): Result<CiPolicy | null, string> {
  const lists = ciPolicyRules.map((rule) => [rule, entriesOf(form[rule])] as const);
  const amount = form.max_usd_per_day.trim();
  const policy = {
    ...Object.fromEntries(lists.filter(([, entries]) => entries.length > 0)),
    ...(amount === "" ? {} : { max_usd_per_day: Number(amount) }),
    ...(form.mcp_servers === "" ? {} : { mcp_servers: form.mcp_servers }),
    ...(form.share === "" ? {} : { share: form.share }),
    ...(form.mint_keys === "" ? {} : { mint_keys: form.mint_keys === "on" }),
  };
  if (Object.keys(policy).length === 0) return ok(null);
  const decoded = decode(ciPolicyRequestSchema, policy, "The policy");
  return decoded.ok ? ok(decoded.value) : refused(decoded.refusal.message);
}

function entriesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

export function policySection(agentId: string, policy: CiPolicy | null): Html {
  return html`<form method="post" action="/agent/${agentId}/policy">
${ciPolicyRules.map((rule) => {
  const [label, hint] = ruleTexts[rule];
  return html`<label for="${rule}">${label}</label>
<textarea id="${rule}" name="${rule}" aria-describedby="${rule}-hint" rows="2">${(policy?.[rule] ?? []).join("\n")}</textarea>
<p class="hint" id="${rule}-hint">${hint}</p>`;
})}
<label for="usd">US dollars a day</label>
<input id="usd" name="max_usd_per_day" inputmode="decimal" value="${policy?.max_usd_per_day ?? ""}" aria-describedby="usd-hint">
<p class="hint" id="usd-hint">What the models of its jobs' runs may cost in a day (UTC). Empty: no cap.</p>
${choice({ id: "mcp_servers", label: "MCP servers", values: mcpServerSources, chosen: policy?.mcp_servers })}
${choice({ id: "share", label: "Links to runs in the job's log", values: shareModes, chosen: policy?.share })}
${choice({ id: "mint_keys", label: "Tokens for your account, for jobs that a writer starts", values: ["on", "off"], chosen: mintText(policy) })}
<div class="actions"><button>Save the policy</button></div>
</form>`;
}

function mintText(policy: CiPolicy | null): string | undefined {
  if (policy?.mint_keys === undefined) return undefined;
  return policy.mint_keys ? "on" : "off";
}

type Choice = {
  readonly id: string;
  readonly label: string;
  readonly values: readonly string[];
  readonly chosen: string | undefined;
};

function choice({ id, label, values, chosen }: Choice): Html {
  return html`<label for="${id}">${label}</label>
<select id="${id}" name="${id}"><option value="">the default</option>${values.map(
    (value) => html`<option value="${value}"${value === chosen ? html` selected` : ""}>${value}</option>`,
  )}</select>`;
}
