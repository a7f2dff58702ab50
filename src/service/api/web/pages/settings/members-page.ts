// The people of an account: list, another role, removal with what becomes of their keys; invitations, whose link is shown once.

import { Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod/mini";
import { keyFateSchema, roleSchema } from "../../../../../contract/account-members.ts";
import { usdPerDaySchema } from "../../../../../contract/agents/ci-policy.ts";
import { isAtLeast, type Role, roles } from "../../../../../contract/roles.ts";
import { dollarsText } from "../../../../../render/quantities.ts";
import { isOwner } from "../../../../core/accounts/caller.ts";
import { type AccountPerson, shownName } from "../../../../core/accounts/person.ts";
import { mayChange } from "../../../../core/members/acting-member.ts";
import type { Invitation } from "../../../../core/members/invitation.ts";
import {
  inviteToAccount,
  listInvitations,
  withdrawInvitation,
} from "../../../../core/members/invitations.ts";
import { changeAccountMember, removeAccountMember } from "../../../../core/members/members.ts";
import type { WebSession } from "../../../../core/web-sessions/web-session.ts";
import { personIn } from "../../../../core/web-sessions/web-sessions.ts";
import { toProblem } from "../../../shared/problems/to-problem.ts";
import { accountOf, accountText } from "../../account-text.ts";
import { readForm } from "../../form.ts";
import { timeText } from "../../time-text.ts";
import type { Html, WebContext, WebEnv } from "../../web-context.ts";
import { needRecent, needSession } from "../../web-session.ts";
import { settingsPage } from "./settings-page.ts";

const id = z.string().check(z.minLength(1), z.maxLength(100));
const inviteForm = z.object({ role: roleSchema });
const withdrawForm = z.object({ id });
const changeForm = z.object({
  person: id,
  role: z.optional(roleSchema),
  max_usd_per_day: z._default(z.string().check(z.trim(), z.maxLength(20)), ""),
  keys: keyFateSchema,
});
const removeForm = z.object({ person: id, keys: keyFateSchema });

const PATH = "/settings/members";
const MICRO_PER_USD = 1_000_000;

/** What a person of a role may do, for people. */
const roleTexts: Readonly<Record<Role, string>> = {
  viewer: "reads runs, files and credits",
  member: "starts and cancels runs, asks and answers, edits workspaces",
  admin: "decides about agents, approvals, AI clients' keys, members and viewers",
  owner: "may do everything",
};

export function membersRoutes(): Hono<WebEnv> {
  const routes = new Hono<WebEnv>();

  routes.get(PATH, async (context) => {
    const session = await needSession(context);
    return session instanceof Response ? session : await membersPage(context, session);
  });

  routes.post(`${PATH}/invite`, async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return backToPage(context, session);
    const form = await readForm(context, inviteForm);
    if (!form.ok) return await membersPage(context, session, { alert: form.refusal });
    const request = { ...requestOf(context, session), role: form.value.role };
    const made = await inviteToAccount(context.get("parts").core, request);
    if (!made.ok) return await membersPage(context, session, { alert: toProblem(made.refusal).message });
    return await membersPage(context, session, { made: { url: made.value.url, role: form.value.role } });
  });

  routes.post(`${PATH}/withdraw`, async (context) => {
    const session = await needSession(context);
    if (session instanceof Response) return backToPage(context, session);
    const form = await readForm(context, withdrawForm);
    const { core } = context.get("parts");
    if (form.ok) await withdrawInvitation(core, { ...requestOf(context, session), id: form.value.id });
    return context.redirect(PATH, 303);
  });

  routes.post(`${PATH}/change`, async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return backToPage(context, session);
    const form = await readForm(context, changeForm);
    if (!form.ok) return await membersPage(context, session, { alert: form.refusal });
    const { person: personId, role, keys, max_usd_per_day: amount } = form.value;
    const usd = amount === "" ? null : z.safeParse(usdPerDaySchema, Number(amount));
    if (usd?.success === false)
      return await membersPage(context, session, { alert: `The cap a day ${usd.error.issues[0]?.message}.` });
    const dayCapMicroUsd = usd === null ? null : Math.round(usd.data * MICRO_PER_USD);
    const request = { ...requestOf(context, session), personId, role, dayCapMicroUsd, keys };
    const changed = await changeAccountMember(context.get("parts").core, request);
    if (changed.ok) return context.redirect(PATH, 303);
    return await membersPage(context, session, { alert: toProblem(changed.refusal).message });
  });

  routes.post(`${PATH}/remove`, async (context) => {
    const session = await needRecent(context);
    if (session instanceof Response) return backToPage(context, session);
    const form = await readForm(context, removeForm);
    if (!form.ok) return await membersPage(context, session, { alert: form.refusal });
    const { person: personId, keys } = form.value;
    const request = { ...requestOf(context, session), personId, keys };
    const removed = await removeAccountMember(context.get("parts").core, request);
    if (!removed.ok)
      return await membersPage(context, session, { alert: toProblem(removed.refusal).message });
    return context.redirect(personId === session.personId ? "/sign-in" : PATH, 303);
  });

  return routes;
}

function requestOf(context: WebContext, session: WebSession) {
  return { caller: personIn(session), requestId: context.get("requestId") };
}

/** At the form's own address there is no page. */
function backToPage(context: WebContext, answer: Response): Response {
  const again = (answer.headers.get("location") ?? "").includes("again=1") ? "&again=1" : "";
  return context.redirect(`/sign-in?to=${encodeURIComponent(PATH)}${again}`, 303);
}

type Shown = {
  readonly alert?: string;
  readonly made?: { readonly url: string; readonly role: Role };
};

async function membersPage(context: WebContext, session: WebSession, shown: Shown = {}): Promise<Response> {
  const { core } = context.get("parts");
  const members = await core.store.committed.people.listMembers(session.accountId);
  const caller = personIn(session);
  const invitations = isOwner(caller) ? await listInvitations(core, caller) : null;
  const { alert, made } = shown;
  const body = html`<p>People in account ${accountText(accountOf(session))}. You are its ${session.role}.</p>
${alert === undefined ? "" : html`<p class="note bad" role="alert">${alert}</p>`}
${made === undefined ? "" : newInvitation(made)}
<ul class="cards">${members.map((member) => memberCard(member, session))}</ul>
${invitations?.ok === true ? invitationSection(invitations.value, session) : ""}
<h2>Roles</h2>
<dl>${roles.toReversed().map((role) => html`<dt>${role}</dt><dd>${roleTexts[role]}</dd>`)}</dl>`;
  const scripts = made === undefined ? [] : (["copy"] as const);
  return await settingsPage(context, {
    tab: "members",
    session,
    body,
    scripts,
    status: alert === undefined ? 200 : 409,
  });
}

function newInvitation({ url, role }: { url: string; role: Role }): Html {
  return html`<div class="note" role="status">
<p><strong>The link is made.</strong> Whoever opens it first becomes ${role} of this account. Copy it now, and hand it to the person alone: it is not shown again.</p>
<pre id="secret" tabindex="0">${url}</pre>
<button data-copy="secret" hidden>Copy</button>
</div>`;
}

function memberCard(member: AccountPerson, session: WebSession): Html {
  const { personId, role, addedAt, source, dayCapMicroUsd } = member;
  const isSelf = personId === session.personId;
  const shown = shownName(member);
  const allowed = roles.filter((to) => to !== role && mayChange(session.role, { from: role, to }));
  const mayCap = mayChange(session.role, { from: role, to: role });
  const mayRemove = isSelf || mayChange(session.role, { from: role, to: null });
  // Only owners and admins make keys.
  const mayTakeOver = session.role === "owner" && !isSelf && isAtLeast(role, "admin");
  return html`<li class="card">
<p><strong>${shown}</strong>${isSelf ? html` <span class="faint">you</span>` : ""}</p>
<dl>
<dt>Role</dt><dd>${role}</dd>
<dt>Since</dt><dd>${timeText(addedAt)}${source === "groups" ? ", by groups of the provider, which decide the role at each sign-in" : ""}</dd>
<dt>Their runs may cost</dt><dd>${dayCapMicroUsd === undefined ? "what the account pays for" : `${dollarsText(dayCapMicroUsd)} a day (UTC)`}</dd>
</dl>
${
  mayRemove
    ? html`<form method="post" action="${PATH}/${mayCap ? "change" : "remove"}"><input type="hidden" name="person" value="${personId}">
${mayCap ? roleField(personId, shown, [role, ...allowed]) : ""}
${mayCap ? capField(personId, shown, dayCapMicroUsd) : ""}
${keysField(personId, mayTakeOver)}
<div class="actions">${mayCap ? html`<button aria-label="Save role and cap of ${shown}">Save</button>` : ""}
<button class="danger" formmethod="post" formaction="${PATH}/remove" aria-label="${isSelf ? "Leave this account" : `Remove ${shown}`}">${isSelf ? "Leave" : "Remove"}</button></div></form>`
    : ""
}
</li>`;
}

function capField(personId: string, shown: string, microUsd: number | undefined): Html {
  return html`<label for="usd-${personId}">US dollars a day (UTC) that runs which ${shown} starts may cost</label>
<input id="usd-${personId}" name="max_usd_per_day" inputmode="decimal" value="${microUsd === undefined ? "" : microUsd / MICRO_PER_USD}" placeholder="no cap">`;
}

function roleField(personId: string, shown: string, allowed: readonly Role[]): Html {
  return html`<label for="role-${personId}">Role of ${shown} from now on</label>
<select id="role-${personId}" name="role">${allowed.map((to) => html`<option value="${to}">${to}</option>`)}</select>`;
}

function keysField(personId: string, mayTakeOver: boolean): Html {
  if (!mayTakeOver) return html`<input type="hidden" name="keys" value="end">`;
  return html`<label for="keys-${personId}">Keys that they made, and may not have with less</label>
<select id="keys-${personId}" name="keys"><option value="end">end</option><option value="take_over">become yours</option></select>`;
}

function invitationSection(invitations: readonly Invitation[], session: WebSession): Html {
  const allowed = roles.filter((to) => mayChange(session.role, { from: null, to }));
  return html`<h2>Invitations</h2>
${
  invitations.length === 0
    ? html`<p class="faint">None waits.</p>`
    : html`<ul class="cards">${invitations.map(
        ({
          id: invitationId,
          role,
          expiresAt,
        }) => html`<li class="card row"><span>${role}, until ${timeText(expiresAt)}</span>
<form class="end" method="post" action="${PATH}/withdraw"><input type="hidden" name="id" value="${invitationId}"><button class="danger" aria-label="Withdraw the invitation of a ${role} until ${new Date(expiresAt).toISOString()}">Withdraw</button></form></li>`,
      )}</ul>`
}
<form method="post" action="${PATH}/invite">
<label for="role">Role of somebody new</label>
<select id="role" name="role">${allowed.map((to) => html`<option value="${to}">${to}</option>`)}</select>
<p class="hint">The link works once, for seven days.</p>
<div class="actions"><button class="main">Make link</button></div>
</form>`;
}
