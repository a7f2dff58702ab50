// The proxy of a request, by the variables that curl made customary. Pure.

import type { Environment } from "../base/environment.ts";

export type ProxyChoice =
  | { readonly type: "direct"; readonly why: "no proxy is set" | "NO_PROXY names it" | "it is on loopback" }
  /** `variable` names `url`; its credentials are not in it. */
  | {
      readonly type: "proxy";
      readonly url: string;
      readonly host: string;
      readonly port: number;
      readonly variable: string;
    }
  | { readonly type: "unreadable"; readonly variable: string };

export type ChosenProxy = Extract<ProxyChoice, { type: "proxy" }>;

/** By the rules of the Action's HTTP client: small letters win, and NO_PROXY's names stand for their subdomains too. */
export function chooseProxy(
  target: URL,
  { env, passesLoopback }: { env: Environment; passesLoopback: boolean },
): ProxyChoice {
  const names = target.protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const variable = names.find((name) => env[name]);
  if (variable === undefined) return { type: "direct", why: "no proxy is set" };
  if (passesLoopback && isLoopback(target)) return { type: "direct", why: "it is on loopback" };
  if (isExcepted(target, env.no_proxy || env.NO_PROXY || ""))
    return { type: "direct", why: "NO_PROXY names it" };
  const text = env[variable] ?? "";
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || url.hostname === "") return { type: "unreadable", variable };
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return { type: "proxy", url: url.origin, host: bareHost(url), port, variable };
}

export function isLoopback(url: URL): boolean {
  const host = bareHost(url).toLowerCase();
  return (
    host === "localhost" || host.startsWith("127.") || host === "::1" || host.startsWith("0:0:0:0:0:0:0:1")
  );
}

/** Without the brackets of an IPv6 address. */
export function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

function isExcepted(target: URL, list: string): boolean {
  const host = target.hostname.toUpperCase();
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  const names = [host, `${host}:${port}`];
  const entries = list
    .split(",")
    .map((entry) => entry.trim().toUpperCase())
    .filter((entry) => entry !== "");
  return entries.some((entry) => {
    const suffix = entry.startsWith(".") ? entry : `.${entry}`;
    return entry === "*" || names.some((name) => name === entry || name.endsWith(suffix));
  });
}
