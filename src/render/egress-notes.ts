// Denied network connections of a run, in one line for the log and one for the summary. Pure.

import type { EgressEvent } from "../contract/runs/run-event.ts";
import { inlineCode } from "./markdown.ts";

type Egress = EgressEvent["value"];

const MAX_HOSTS = 10;
const HOST_PATTERN = /^[A-Za-z0-9.:[\]?*_ -]{1,300}$/;

/** Lines for a log: what was asked for and not granted, and what was blocked. */
export function egressNotes(egress: Egress): readonly string[] {
  return [
    ...(egress.withheld.length === 0 ? [] : [`${withheldText(egress, (host) => host)}.`]),
    ...(egress.blocked.length === 0 ? [] : [blockedText(egress, (host) => host)]),
  ];
}

/** A paragraph of Markdown, or "". */
export function egressSection(egress: Egress | null): string {
  if (egress === null) return "";
  const texts = [
    ...(egress.withheld.length === 0 ? [] : [`${withheldText(egress, inlineCode)}.`]),
    ...(egress.blocked.length === 0 ? [] : [`🚫 Network: ${blockedText(egress, inlineCode)}`]),
  ];
  return texts.join("\n\n");
}

/** `blocked: evil.example ×3, other.example` */
function blockedText({ blocked }: Egress, show: (host: string) => string): string {
  const hosts = blocked.map(({ host, times }) => `${show(plain(host))}${times > 1 ? ` ×${times}` : ""}`);
  return `blocked: ${listed(hosts)}`;
}

function withheldText({ withheld }: Egress, show: (host: string) => string): string {
  const asked = listed(withheld.map((entry) => show(plain(entry))));
  return `The run asked for ${asked} of the network, which the agent's owner or the service does not allow`;
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_HOSTS);
  const more = texts.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** The names are those that the run asked for: an event may hold any text. */
function plain(host: string): string {
  return HOST_PATTERN.test(host) ? host : "a host whose name cannot be shown";
}
