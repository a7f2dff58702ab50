// Spellings of clients, turned into the library's: the resource in one spelling, and a scope where there is none. Pure.

import { apiScopes, defaultScopes, OFFLINE_ACCESS, tokenScopes } from "../../../contract/oauth/scopes.ts";
import { isOwnResource, resourceOf } from "../../core/oauth/resource.ts";
import { COMMAND_CLIENT, COMMAND_SCOPE } from "./built-in-client.ts";

/** Every spelling of this service is one resource; what is foreign stays, and is refused by the library. */
export function withOneResource(parameters: URLSearchParams, baseUrl: string): URLSearchParams {
  const named = parameters.getAll("resource");
  if (named.length === 0) return parameters;
  const changed = new URLSearchParams(parameters);
  changed.delete("resource");
  const known = named.map((one) => (isOwnResource(baseUrl, one) ? resourceOf(baseUrl) : one));
  for (const one of new Set(known)) changed.append("resource", one);
  return changed;
}

/** Asks for what most clients need where a client asks for nothing that there is: an empty grant would be refused. */
export function withScope(parameters: URLSearchParams): URLSearchParams {
  const changed = new URLSearchParams(parameters);
  if (parameters.get("client_id") === COMMAND_CLIENT) {
    changed.set("scope", COMMAND_SCOPE);
    return changed;
  }
  const known: readonly string[] = [...tokenScopes, OFFLINE_ACCESS];
  const asked = (parameters.get("scope") ?? "").split(" ").filter((name) => known.includes(name));
  if (asked.some((name) => name !== OFFLINE_ACCESS)) return parameters;
  changed.set("scope", [...defaultScopes, ...asked].join(" "));
  return changed;
}

/** Scopes of the request that may be granted. */
export function grantableScopes(scope: unknown, clientId: string): readonly string[] {
  const asked = typeof scope === "string" ? scope.split(" ") : [];
  const known: readonly string[] = clientId === COMMAND_CLIENT ? [COMMAND_SCOPE] : apiScopes;
  return known.filter((name) => asked.includes(name));
}
