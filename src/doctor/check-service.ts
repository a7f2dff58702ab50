// The service: the way there, the server that answers, and its state.

import { parseJson } from "../base/json.ts";
import { ConnectionError } from "../client/errors.ts";
import type { TransportResponse } from "../client/transport.ts";
import { issuerFault } from "../contract/issuer-reach.ts";
import { healthSchema } from "../contract/operation.ts";
import type { DoctorCheck, Observation } from "../report/doctor-page.ts";
import { noAnswer, strangerTrouble } from "./answer-troubles.ts";
import { type ExamineOptions, found, worstOf } from "./examination.ts";
import { bareHost, type ChosenProxy, chooseProxy, isLoopback, type ProxyChoice } from "./proxy.ts";
import { reachHost, type Way } from "./reach-host.ts";
import { variableText } from "./settings-text.ts";
import { certificateTrouble, type Trouble, unreachedTrouble } from "./way-troubles.ts";

const HEADING = { id: "service", title: "The service" };
const ANSWER_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const SOON_MS = 14 * 24 * 60 * 60 * 1000;

type ServiceOptions = Pick<
  ExamineOptions,
  "clock" | "env" | "face" | "signal" | "transport" | "usesProxy" | "version"
> & { readonly baseUrl: string };

/** One answer of the service, for its clock. */
export type TimedAnswer = {
  readonly date: string | null;
  readonly sentAt: number;
  readonly receivedAt: number;
};

type ServiceFinding = {
  readonly check: DoctorCheck;
  /** Null where the service was not reached, or something else answered. */
  readonly answer: TimedAnswer | null;
};

type Facts = Record<string, string | null | undefined>;
export async function checkService(options: ServiceOptions): Promise<ServiceFinding> {
  const url = new URL(options.baseUrl);
  const host = bareHost(url);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const choice = chooseProxy(url, { env: options.env, passesLoopback: options.face === "action" });
  const proxy = options.usesProxy && choice.type === "proxy" ? choice : null;
  const way = await reachHost(
    proxy === null
      ? { host, port, isTls: url.protocol === "https:" }
      : { host: proxy.host, port: proxy.port, isTls: false },
  );
  const observations = [...plainHttp(url), ...proxyObservations(options, choice)];
  const facts: Facts = {
    address: options.baseUrl,
    ...wayFacts(way, proxy),
    proxy: proxyText(options, choice),
  };
  const end = (trouble: Trouble): ServiceFinding => ({
    check: conclude({ observations: [{ state: "fault", ...trouble }, ...observations], facts }),
    answer: null,
  });

  if (!way.ok) return end(unreachedTrouble(way.ended, proxy ?? { host, port }));
  const { certificate } = way.reached;
  if (certificate !== null && certificate.fault !== null) {
    const trouble = certificateTrouble({ ...certificate, host, env: options.env });
    // Node was told to trust everything: it goes on, and so does whoever is on the way.
    if (options.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return end(trouble);
    observations.push({ state: "warning", ...trouble });
  }
  if (certificate !== null) observations.push(...expiry(certificate.validTo, options.clock.now()));

  const asked = await ask(options, "/healthz");
  if (!asked.ok) return end(noAnswer(asked.error, { proxy, env: options.env, host, port }));
  const { response, timed } = asked;
  facts.healthz = String(response.status);
  const stranger = strangerTrouble(response, url);
  if (stranger !== null) return end(stranger);
  const ready = await ask(options, "/readyz");
  if (ready.ok) {
    facts.readyz = String(ready.response.status);
    observations.push(...readiness(ready.response));
  }
  facts["API version"] = await apiVersion(options);
  facts["issuer for its runs"] = await issuerOf(options);
  return { check: conclude({ observations, facts }), answer: timed };
}

function conclude({
  observations,
  facts,
}: {
  observations: readonly Observation[];
  facts: Facts;
}): DoctorCheck {
  const texts = observations.map((observation) => observation.found);
  return found(HEADING, {
    state: worstOf(observations.map(({ state }) => state)),
    found: texts.length === 0 ? "It is reached, and it is ready." : texts.join(" "),
    facts,
    fixes: observations.flatMap(({ fixes }) => fixes),
  });
}

type Asked =
  | { readonly ok: true; readonly response: TransportResponse; readonly timed: TimedAnswer }
  | { readonly ok: false; readonly error: ConnectionError };

/** One request, and one more where the connection broke: a single reset is nobody's trouble. */
async function ask(options: ServiceOptions, path: string, tries = 2): Promise<Asked> {
  const { baseUrl, clock, transport, signal, version } = options;
  const sentAt = clock.now();
  try {
    const response = await transport({
      method: "GET",
      url: `${baseUrl.replace(/\/+$/, "")}${path}`,
      headers: { accept: "application/json", "user-agent": `agent-service-doctor/${version}` },
      timeoutMs: ANSWER_MS,
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal,
    });
    const date = response.headers("date") ?? null;
    return { ok: true, response, timed: { date, sentAt, receivedAt: clock.now() } };
  } catch (cause) {
    signal?.throwIfAborted();
    const error = cause instanceof ConnectionError ? cause : new ConnectionError(messageOf(cause), { cause });
    if (tries > 1 && error.code === "connection_failed") return await ask(options, path, tries - 1);
    return { ok: false, error };
  }
}

function readiness(response: TransportResponse): Observation[] {
  const health = healthSchema.safeParse(parseJson(response.body));
  const status = health.success ? health.data.status : `${response.status}`;
  if (status === "ok") return [];
  const why = status === "unavailable" ? "its database does not answer" : `it says "${status}"`;
  return [
    {
      state: "fault",
      found: `The service is there, and not ready: ${why}.`,
      fixes: [
        {
          text: "Its operator finds the reason in its log. A service that is being restarted is ready soon.",
        },
      ],
    },
  ];
}

/** Null where it does not say. */
async function apiVersion(options: ServiceOptions): Promise<string | null> {
  const asked = await ask(options, "/openapi.json", 1);
  if (!asked.ok || asked.response.status !== 200) return null;
  const document = parseJson(asked.response.body);
  if (typeof document !== "object" || document === null || !("info" in document)) return null;
  const { info } = document;
  if (typeof info !== "object" || info === null || !("version" in info)) return null;
  return typeof info.version === "string" ? info.version : null;
}

/** Null where it vouches for no run. */
async function issuerOf(options: ServiceOptions): Promise<string | null> {
  const asked = await ask(options, "/id/.well-known/openid-configuration", 1);
  if (!asked.ok || asked.response.status !== 200) return null;
  const metadata = parseJson(asked.response.body);
  if (typeof metadata !== "object" || metadata === null || !("issuer" in metadata)) return null;
  const { issuer } = metadata;
  if (typeof issuer !== "string" || !URL.canParse(issuer)) return null;
  const fault = issuerFault(issuer);
  return fault === null ? issuer : `${issuer}; clouds cannot read its keys: ${fault}`;
}

function wayFacts(way: Way, proxy: ChosenProxy | null): Facts {
  const { addresses } = way.ok ? way.reached : way.ended;
  const certificate = way.ok ? way.reached.certificate : null;
  return {
    [proxy === null ? "name resolves to" : "proxy resolves to"]: addresses.join(", "),
    TLS:
      certificate === null
        ? null
        : `${certificate.protocol}, certificate of ${certificate.subject} by ${certificate.issuer}, until ${certificate.validTo}`,
  };
}

function proxyText({ usesProxy }: ServiceOptions, choice: ProxyChoice): string {
  switch (choice.type) {
    case "direct":
      return `none: ${choice.why}`;
    case "unreadable":
      return `${choice.variable} is no URL`;
    case "proxy":
      return usesProxy ? `${choice.url} (${choice.variable})` : `not used (${choice.variable} is set)`;
  }
}

function proxyObservations({ env, usesProxy }: ServiceOptions, choice: ProxyChoice): Observation[] {
  if (choice.type === "unreadable") {
    const found = `The variable ${choice.variable} is no URL of a proxy.`;
    return [{ state: "warning", found, fixes: [{ text: `Write it as http://proxy.example:3128.` }] }];
  }
  if (choice.type === "direct" || usesProxy) return [];
  return [
    {
      state: "warning",
      found: `${choice.variable} is set, and this command does not use it unless Node is told to.`,
      fixes: [
        {
          text: "If the service is only reached through the proxy:",
          code: variableText(env, "NODE_USE_ENV_PROXY", '"1"'),
        },
      ],
    },
  ];
}

function plainHttp(url: URL): Observation[] {
  if (url.protocol === "https:" || isLoopback(url)) return [];
  return [
    {
      state: "warning",
      found: "The address is plain http: whoever is on the way can read the job's tokens.",
      fixes: [{ text: "Give the service a certificate, and use https://." }],
    },
  ];
}

function expiry(validTo: string, now: number): Observation[] {
  const at = Date.parse(validTo);
  if (Number.isNaN(at) || at - now > SOON_MS) return [];
  return [
    {
      state: "warning",
      found: `The service's certificate ends on ${validTo}.`,
      fixes: [{ text: "Renew it." }],
    },
  ];
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "The answer could not be read.";
}
