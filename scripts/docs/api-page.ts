// docs/api.md: every route of the service, from the route table. Pure.

import { takesBodyKey } from "../../src/contract/fields.ts";
import { type CallerKind, type Route, type RouteTable, refusalsOf } from "../../src/contract/route.ts";
import { routes } from "../../src/contract/routes.ts";
import { tags } from "../../src/contract/tags.ts";
import { markdownTable } from "./markdown-table.ts";

const callerTexts: Readonly<Record<CallerKind, string>> = {
  job: "CI job",
  owner: "owner",
  ai_client: "AI client",
};
const repeatTexts: Readonly<Record<Exclude<Route["repeat"], "keyed">, string>> = { safe: "yes", once: "no" };

export function apiPage(): string {
  return `# The API

A running service describes its API: the reference at \`/docs\`, a page a noun with a search, the OpenAPI 3.1 document at \`/openapi.json\`. The typed
client is [\`agent-service/client\`](client.md), which \`/docs\` has too.

A **CI job** calls with a capability from \`POST /v1/ci/oidc/exchange\`, an **owner** with a key of the account
(\`svc_sk_…\`), an **AI client** with one that acts for a person (\`svc_at_…\`). A person has a **role** in the account, *owner*,
*admin*, *member* or *viewer*: each may do what the next may, and more. Keys and applications may do no more than the person for whom
they act, as of now; else they are answered 403 \`role_needed\`. Every refusal is
\`{error, code, request_id}\`: branch on \`code\`. One is without a body: a request whose address and headers have more than 16 KB
together is answered 431 before it is read.

A request is **repeatable** where its row says so. An idempotency key is the header \`Idempotency-Key\`, or, unless the row
names the header, the field \`idempotency_key\` of the body. A header that is not empty wins. For 24 hours the same request
with the same key does nothing more: its answer is about what the first one did, and has the header
\`X-Svc-Idempotent-Replay: true\`. The key of another request is refused with 422 \`idempotency_key_reused\`. Workspaces,
adoptions, pins and independent agents are not made without the header.

${routeSections(routes)}
`;
}

/** A table of the routes of each tag, in the order of the tags. */
export function routeSections(table: RouteTable): string {
  const all = Object.values(table).flatMap((ofNoun) => Object.values(ofNoun));
  return tags
    .map(({ name, description }) => {
      const ofTag = all.filter(({ tag }) => tag === name);
      const head = ["Method", "Path", "What", "Who may call", "Least role", "Repeatable", "Refusals"];
      return `## ${name}\n\n${description}\n\n${markdownTable(head, ofTag.map(rowOf))}`;
    })
    .join("\n\n");
}

function keyText({ body }: Route): string {
  const isInBody = body?.kind === "json" && takesBodyKey(body.schema);
  return isInBody ? "with an idempotency key" : "with an idempotency key in the header";
}

function rowOf(route: Route): readonly string[] {
  const { method, path, summary, callers, repeat } = route;
  return [
    method,
    `\`${path}\``,
    summary,
    callers.length === 0 ? "everybody" : callers.map((caller) => callerTexts[caller]).join(", "),
    route.role ?? "",
    repeat === "keyed" ? keyText(route) : repeatTexts[repeat],
    refusalsOf(route).join(", "),
  ];
}
