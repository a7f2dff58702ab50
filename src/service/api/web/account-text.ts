// An account as pages show it: its name, where it has one, and its id, which says which one it is whatever it is called. Pure.

import { html } from "hono/html";
import type { WebSession } from "../../core/web-sessions/web-session.ts";
import type { Html } from "./web-context.ts";

type Named = { readonly id: string; readonly name: string | null };

/** The account in which somebody is signed in. */
export function accountOf({ accountId, accountName }: Pick<WebSession, "accountId" | "accountName">): Named {
  return { id: accountId, name: accountName };
}

/** A name in a script that runs from right to left leaves what is beside it in its order. */
export function accountText({ id, name }: Named): Html {
  return name === null
    ? html`<code>${id}</code>`
    : html`<strong dir="auto">${name}</strong> <code>${id}</code>`;
}

/** The same in an attribute. */
export function accountWords({ id, name }: Named): string {
  return name === null ? id : `${name}, ${id}`;
}
