// The way to a server, one layer after the other: its name, its port, its certificate. Sends no byte of ours.

import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { errorCode } from "../base/error-code.ts";

const STEP_MS = 10_000;

export type Certificate = {
  readonly protocol: string;
  readonly subject: string;
  readonly issuer: string;
  readonly validTo: string;
  /** Node's word for why it is not trusted; null where it is. */
  readonly fault: string | null;
};

type Reached = {
  readonly addresses: readonly string[];
  /** Null where the server does not speak TLS, or was not asked to. */
  readonly certificate: Certificate | null;
};

/** The end of the way: at "dns", "tcp" or "tls". `code` is the system's: ENOTFOUND, ECONNREFUSED … */
export type Unreached = {
  readonly layer: "dns" | "tcp" | "tls";
  readonly code: string;
  readonly addresses: readonly string[];
};

export type Way =
  | { readonly ok: true; readonly reached: Reached }
  | { readonly ok: false; readonly ended: Unreached };

/** Goes as far as it can, each step for ten seconds at most. */
export async function reachHost(target: { host: string; port: number; isTls: boolean }): Promise<Way> {
  const { host, port, isTls } = target;
  let addresses: readonly string[] = [];
  try {
    addresses = await resolveName(host);
  } catch (cause) {
    return { ok: false, ended: { layer: "dns", code: reasonOf(cause), addresses } };
  }
  try {
    (await openTcp(host, port)).destroy();
  } catch (cause) {
    return { ok: false, ended: { layer: "tcp", code: reasonOf(cause), addresses } };
  }
  if (!isTls) return { ok: true, reached: { addresses, certificate: null } };
  try {
    return { ok: true, reached: { addresses, certificate: await readCertificate(host, port) } };
  } catch (cause) {
    return { ok: false, ended: { layer: "tls", code: reasonOf(cause), addresses } };
  }
}

async function resolveName(host: string): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  const late = AbortSignal.timeout(STEP_MS);
  const overdue = new Promise<never>((_resolve, reject) => {
    late.addEventListener("abort", () => reject(timedOut()), { once: true });
  });
  const found = await Promise.race([lookup(host, { all: true }), overdue]);
  return found.map(({ address }) => address);
}

function openTcp(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp({ host, port });
    socket.setTimeout(STEP_MS, () => socket.destroy(timedOut()));
    socket.once("error", reject);
    socket.once("connect", () => resolve(socket));
  });
}

function readCertificate(host: string, port: number): Promise<Certificate> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      host,
      port,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      // Looked at, not trusted: nothing is sent over this connection, and what Node thinks of it is the answer.
      rejectUnauthorized: false,
    });
    socket.setTimeout(STEP_MS, () => socket.destroy(timedOut()));
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const peer = socket.getPeerCertificate();
      resolve({
        protocol: socket.getProtocol() ?? "TLS",
        subject: nameOf(peer.subject),
        issuer: nameOf(peer.issuer),
        validTo: peer.valid_to ?? "",
        fault: socket.authorized ? null : String(socket.authorizationError ?? "not trusted"),
      });
      socket.destroy();
    });
  });
}

/** The common name, or the organisation where there is none. */
function nameOf(name: PeerCertificate["subject"] | undefined): string {
  const named = name?.CN ?? name?.O ?? "nobody";
  return Array.isArray(named) ? named.join(", ") : named;
}

function timedOut(): Error {
  return Object.assign(new Error("No answer in time."), { code: "ETIMEDOUT" });
}

/** Several addresses fail as one error without a code of its own. */
function reasonOf(cause: unknown): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause;
  return errorCode(cause) ?? errorCode(first) ?? (first instanceof Error ? first.message : "unknown");
}
