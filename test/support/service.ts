// The real service in this process, on a real socket, with everything that it logged kept.

import { Writable } from "node:stream";
import { pino } from "pino";
import type { CodeHost } from "../../fakes/code-host/code-host.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { CheckoutProvider } from "../../src/service/core/ports/checkout.ts";
import type { Backend } from "../../src/service/executor/backend.ts";
import { type Service, startService } from "../../src/service/main.ts";
import type { Config } from "../../src/service/settings/config.ts";
import { readConfig } from "../../src/service/settings/config.ts";
import { type StorePlace, storeKinds } from "./stores.ts";

export type TestServiceOptions = {
  readonly forge: CodeHost;
  /** An own SQLite place, removed with the service, unless told. */
  readonly place?: StorePlace;
  /** In the place of the service's backends. */
  readonly backend?: Backend;
  readonly config?: Partial<Config>;
  readonly clock?: Clock;
  /** Clones of the service's own unless told. */
  readonly checkouts?: CheckoutProvider;
};

export type TestService = Service & {
  readonly place: StorePlace;
  /** Every log line so far, as one text. */
  logText(): string;
};

/** Starts a service that trusts the code host. */
export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const { forge, backend, clock, checkouts } = options;
  const ownPlace = options.place === undefined ? await storeKinds[0]?.make() : undefined;
  const place = options.place ?? ownPlace;
  if (place === undefined) throw new Error("There is no place for the store.");
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const service = await startService({
    config: {
      ...defaults(forge),
      ...place.settings,
      ...(backend === undefined ? {} : { backend: backend.name }),
      ...options.config,
    },
    log: pino({ level: "trace" }, sink),
    ...(backend === undefined ? {} : { backends: [backend] }),
    ...(clock === undefined ? {} : { clock }),
    ...(checkouts === undefined ? {} : { checkouts }),
  });
  return {
    ...service,
    place,
    logText: () => lines.join(""),
    stop: async () => {
      await service.stop();
      await ownPlace?.remove();
    },
  };
}

function defaults(forge: CodeHost): Config {
  const config = readConfig(
    { PORT: "0" },
    {
      PATH: process.env.PATH,
      CI_ISSUERS: JSON.stringify([forge.issuerEntry]),
      CI_RATE_PER_MINUTE: "100000",
      RATE_PER_MINUTE: "1000000",
      ADDRESS_RATE_PER_MINUTE: "1000000",
      MAX_SOCKETS: "1000",
      DRAIN_SECONDS: "0",
    },
  );
  if (!config.ok) throw new Error(config.refusal.join("\n"));
  return config.value;
}
