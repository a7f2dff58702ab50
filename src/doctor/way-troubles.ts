// Troubles on the way to a server, in words, and the fix for each: by name, port, certificate and proxy. Pure.

import type { Environment } from "../base/environment.ts";
import type { DoctorFix } from "../report/doctor-page.ts";
import type { Certificate, Unreached } from "./reach-host.ts";
import { variableText } from "./settings-text.ts";

export type Trouble = { readonly found: string; readonly fixes: readonly DoctorFix[] };

export function unreachedTrouble({ layer, code }: Unreached, where: { host: string; port: number }): Trouble {
  const { host, port } = where;
  switch (layer) {
    case "dns":
      return {
        found: `There is no address for the name "${host}" here (${code}).`,
        fixes: [
          {
            text: "Look for a slip in the address. A name that only your network knows needs a runner inside of it, or a proxy that is.",
          },
        ],
      };
    case "tcp":
      return code === "ECONNREFUSED"
        ? {
            found: `Nothing listens at ${host}, port ${port} (${code}).`,
            fixes: [{ text: "Start the service, or correct the port in its address." }],
          }
        : {
            found: `${host}, port ${port}, does not answer (${code}).`,
            fixes: [
              {
                text: "A firewall between this runner and the service may drop it: allow it, or use a runner inside of that network.",
              },
            ],
          };
    case "tls":
      return {
        found: `${host}, port ${port}, takes connections and does not speak TLS (${code}).`,
        fixes: [
          { text: "Correct the port, or begin the address with http:// if the service is without TLS." },
        ],
      };
  }
}

const untrusted = /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;

/** Why a certificate is not trusted. */
export function certificateTrouble(
  seen: Pick<Certificate, "fault" | "subject" | "issuer" | "validTo"> & { host: string; env: Environment },
): Trouble {
  const { fault, subject, issuer, validTo, host, env } = seen;
  const what = `The certificate of ${host} is not trusted (${fault})`;
  if (fault !== null && untrusted.test(fault)) return untrustedTrouble({ what, issuer, env });
  switch (fault) {
    case "CERT_HAS_EXPIRED":
      return {
        found: `${what}: it ended on ${validTo}.`,
        fixes: [{ text: "Renew it on the service. If it has not ended, this runner's clock is wrong." }],
      };
    case "CERT_NOT_YET_VALID":
      return {
        found: `${what}: it is not valid yet.`,
        fixes: [{ text: "Set this runner's clock, or wait until the certificate begins." }],
      };
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return {
        found: `${what}: it is for ${subject}, not for this name.`,
        fixes: [{ text: "Use the name that the certificate is for, or get one for this name." }],
      };
    default:
      return { found: `${what}.`, fixes: [{ text: "Give the service a certificate that Node takes." }] };
  }
}

/** An authority that this runner does not know: a company's own, or a proxy's that looks into TLS. */
export function untrustedTrouble(known: { what: string; issuer: string | null; env: Environment }): Trouble {
  const { what, issuer, env } = known;
  const set = env.NODE_EXTRA_CA_CERTS;
  const by = issuer === null ? "an authority" : `"${issuer}"`;
  const text = set
    ? `NODE_EXTRA_CA_CERTS names ${set}: it must be there when this process starts, be readable, and hold the certificate of the authority in PEM.`
    : "Put the certificate of that authority, in PEM, on the runner, and name its file. It must be set before the step starts: a variable of the job or of the step.";
  return {
    found: `${what}: it was issued by ${by}, which this runner does not know.`,
    fixes: [{ text, code: variableText(env, "NODE_EXTRA_CA_CERTS", set || "/etc/ssl/certs/company-ca.pem") }],
  };
}
