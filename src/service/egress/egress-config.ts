// The settings of the network access of runs. Pure.

import { BlockList, isIP } from "node:net";
import type { Environment } from "../../base/environment.ts";
import { integer, listOf } from "../../base/settings/kinds.ts";
import { described, readSettings, variablesOf } from "../../base/settings/setting.ts";
import {
  type EgressEntries,
  egressKind,
  type HostEntry,
  isHostName,
  readHostEntry,
} from "../../contract/egress.ts";
import { packageRegistries } from "../core/egress/registries.ts";

/** A host that may have addresses of a network that is not public. */
export type PrivateHost = { readonly name: string; readonly addresses: BlockList };

export type EgressConfig = {
  /** More than this no run may reach. */
  readonly cap: EgressEntries;
  /** Hosts that the word `registries` stands for. */
  readonly registries: readonly HostEntry[];
  readonly privateHosts: readonly PrivateHost[];
  /** Bytes of one run, both directions. */
  readonly maxBytes: number;
};

const MEGABYTE = 1024 * 1024;

/** By the names of their environment variables, in the order of the documentation. */
export const egressSettings = {
  EGRESS: described({
    kind: egressKind,
    fallback: [],
    description:
      "What runs may reach of the network, at most: `none`, `setup` (package registries, while a run's setup executes), `registries`, names of hosts. A run has what its owner and its workflow ask for within it.",
    shownDefault: "`none`",
  }),
  EGRESS_REGISTRIES: described({
    kind: listOf<HostEntry>({
      allowed: "a list of host names, with a port where it is not 443, separated by commas",
      separator: /,/,
      item: (text) => readHostEntry(text) ?? undefined,
    }),
    fallback: null,
    description: "The hosts that `registries` and `setup` stand for, such as your own mirrors.",
    shownDefault: "the public package registries",
  }),
  EGRESS_PRIVATE_HOSTS: described({
    kind: listOf<PrivateHost>({
      allowed: "a list such as npm.internal=10.2.0.0/16, separated by commas",
      separator: /,/,
      item: readPrivateHost,
    }),
    fallback: [],
    description:
      "Hosts that may have addresses of your own network, each with the addresses: `npm.internal=10.2.0.0/16`. Every other host with such an address is blocked.",
    shownDefault: "none",
  }),
  EGRESS_MB: described({
    kind: integer({ min: 1, max: 1_048_576 }),
    fallback: 4096,
    description: "Megabytes that one run may send and receive.",
  }),
};

/** Adds a line to `problems` for each setting that is wrong. */
export function readEgressConfig(
  environment: Environment,
  { problems }: { readonly problems: string[] },
): EgressConfig {
  const { values, problems: faults } = readSettings(egressSettings, variablesOf(environment));
  problems.push(...faults);
  const former = (environment.FETCH_ALLOW ?? "").trim();
  if (former !== "") {
    problems.push(
      "FETCH_ALLOW is replaced by EGRESS: set EGRESS to these hosts. Runs then read them where their owner or their workflow asks for them (egress).",
    );
  }
  return {
    cap: values.EGRESS,
    registries: values.EGRESS_REGISTRIES ?? packageRegistries,
    privateHosts: values.EGRESS_PRIVATE_HOSTS,
    maxBytes: values.EGRESS_MB * MEGABYTE,
  };
}

function readPrivateHost(text: string): PrivateHost | undefined {
  const [name = "", net = "", ...more] = text.toLowerCase().split("=");
  const [address = "", digits = "", ...rest] = net.split("/");
  const family = isIP(address);
  const prefix = /^\d{1,3}$/.test(digits) ? Number(digits) : Number.NaN;
  const isWhole = more.length + rest.length === 0 && isHostName(name);
  if (!isWhole || family === 0 || !(prefix >= 0 && prefix <= (family === 4 ? 32 : 128))) return undefined;
  const addresses = new BlockList();
  addresses.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  return { name, addresses };
}
