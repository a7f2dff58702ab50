// The section about access to an agent's repository without a job: the owner's choice, and the steps at the code host.

import { html } from "hono/html";
import * as z from "zod/mini";
import {
  accessKinds,
  type ChosenAccessKind,
  chosenAccessKinds,
} from "../../../../../contract/repository-access.ts";
import type { Agent } from "../../../../core/agents/agent.ts";
import type { Core } from "../../../../core/core.ts";
import { findAccessFault, toShown } from "../../../../core/repository-access/manage-access.ts";
import type { StoredAccess } from "../../../../core/repository-access/stored-access.ts";
import type { Html } from "../../web-context.ts";

export const accessForm = z.object({ use: z.enum(accessKinds) });

const buttons: Readonly<Record<ChosenAccessKind, string>> = {
  deploy_key: "Make a deploy key",
  github_app: "Use the GitHub App",
};

/** Places for a deploy key, as each code host calls them. */
const places: Readonly<Record<string, string>> = {
  github: "Settings, Deploy keys, Add deploy key. Leave “Allow write access” off.",
  gitlab: "Settings, Repository, Deploy keys. Leave “Grant write permissions” off.",
  bitbucket: "Repository settings, Access keys, Add key. Access keys only read.",
};

export function accessSection(
  core: Core,
  { agent, access }: { readonly agent: Agent; readonly access: StoredAccess | null },
): Html {
  const { id, repository, retiredAt } = agent;
  const shown = toShown(core, { agent, access });
  const { public_key: publicKey, fingerprint, fault } = shown;
  const warning = fault === undefined ? "" : html`<p class="note warn">It cannot be used now: ${fault}</p>`;
  switch (shown.kind) {
    case "none":
      return html`<p>Runs that no job asks for work on the newest commit that a job has sent. The service can fetch the newest one itself.</p>
${retiredAt === null ? choices(core, agent) : ""}`;
    case "deploy_key":
      return html`${warning}<p>Runs that no job asks for work on the newest commit of the default branch, fetched from <code>${shown.url ?? "the code host"}</code> with this key. Add it to the repository:</p>
<p class="hint">${places[repository?.provider ?? ""] ?? "Add it as a key that only reads."}</p>
<label for="public-key">Public key</label>
<textarea id="public-key" rows="3" readonly spellcheck="false">${publicKey ?? ""}</textarea>
<p class="hint">Its fingerprint: <code>${fingerprint ?? ""}</code></p>
${form(id, { use: "none", text: "Remove the key", style: "danger" })}`;
    case "github_app":
      return html`${warning}<p>Runs that no job asks for work on the newest commit of the default branch, fetched with a token of the service's GitHub App that reads this repository alone. Install the App on the repository.</p>
${form(id, { use: "none", text: "Use the App no longer", style: "danger" })}`;
  }
}

function choices(core: Core, { id, repository }: Agent): Html {
  const offered = chosenAccessKinds.map((kind) => ({
    kind,
    fault: findAccessFault(core, { repository, kind }),
  }));
  const open = offered.filter(({ fault }) => fault === null);
  if (open.length === 0) return html`<p class="faint">${offered[0]?.fault ?? ""}</p>`;
  return html`<div class="actions">${open.map(({ kind }) => form(id, { use: kind, text: buttons[kind], style: "" }))}</div>`;
}

function form(
  agentId: string,
  {
    use,
    text,
    style,
  }: { readonly use: (typeof accessKinds)[number]; readonly text: string; readonly style: string },
): Html {
  return html`<form method="post" action="/agent/${agentId}/access"><input type="hidden" name="use" value="${use}"><button class="${style}">${text}</button></form>`;
}
