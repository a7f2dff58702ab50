// Reachability of the service's keys as an issuer, for clouds: over https, from a public address, without a port. Pure.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_providers_create_oidc.html, looked up on 2026-11-29

import { isPublicAddress } from "../base/public-address.ts";

/** Names that no public name server knows (RFC 6761, RFC 6762, ICANN's reserved ".internal"). */
const localName = /(?:^|\.)(?:localhost|local|internal|test|invalid|lan|home\.arpa)$/;

/** Why they cannot, as what the address is; null where nothing is known against it. Names are not resolved. */
export function issuerFault(baseUrl: string): string | null {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "https:") return "it is not https";
  if (isLocal(hostname.toLowerCase())) return "it is not on the public internet";
  return port === "" ? null : "it has a port, which AWS refuses";
}

export const NEW_ISSUER_TEXT = "Another BASE_URL is another issuer: every trust changes with it.";

/** What follows from it, for the operator and for owners of agents. */
export function issuerFaultText(baseUrl: string): string | null {
  const fault = issuerFault(baseUrl);
  return fault === null
    ? null
    : `Clouds cannot read the keys that vouch for runs at ${baseUrl}/id/jwks: ${fault}. Google and Vault take them by upload, AWS and Entra do not.`;
}

function isLocal(hostname: string): boolean {
  // A URL has one spelling of an address.
  if (hostname.startsWith("[")) return !isPublicAddress(hostname.slice(1, -1));
  if (/^[\d.]+$/.test(hostname)) return !isPublicAddress(hostname);
  return localName.test(hostname) || !hostname.includes(".");
}
