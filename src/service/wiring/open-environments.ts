// The machine's side of a run, by the settings: the environments that setup scripts make, and the way to the network.

import { join } from "node:path";
import { removeFolder } from "../checkouts/run-folder.ts";
import type { Environments } from "../core/checkouts/environment.ts";
import type { EgressProvider } from "../core/egress/run-egress.ts";
import type { PublicProblem } from "../core/ports/problem.ts";
import type { CommandMintRefusal } from "../core/run-identity/mint-token.ts";
import type { TokenRelays } from "../core/run-identity/token-relay.ts";
import { egressProvider } from "../egress/egress.ts";
import { tokenRelays } from "../egress/token-relay.ts";
import { EnvironmentCache } from "../environments/environment-cache.ts";
import { openEnvironments } from "../environments/environments.ts";
import { makeHome, removeHome } from "../sandbox/agent-homes.ts";
import type { Config } from "../settings/config.ts";
import type { BackendParts, MachineParts } from "./open-backends.ts";

export function environmentsOf(parts: BackendParts): Environments {
  const { config, log, sandbox, clock, isTrusted = () => false } = parts;
  const { homesFolder, setup } = config.sandbox;
  return openEnvironments({
    sandbox,
    isTrusted,
    setupMs: setup.timeoutMs,
    cache: cacheOf(parts),
    makeHome: () => makeHome(homesFolder),
    removeHome,
    removeFolder,
    clock,
    log,
  });
}

/** A job keeps nothing: what it makes ends with it. */
function cacheOf({ config, clock, random }: MachineParts): EnvironmentCache | null {
  const { setup, job } = config.sandbox;
  if (setup.cacheBytes === 0 || job !== null) return null;
  const folder = join(config.dataDir, "environments");
  return new EnvironmentCache({ folder, maxBytes: setup.cacheBytes, clock, random, removeFolder });
}

export function ownEgress({ egress, sandbox }: Config): EgressProvider {
  return egressProvider({ config: egress, folders: socketFolders(sandbox) });
}

export function ownTokenRelays(
  { sandbox }: Config,
  describe: (refusal: CommandMintRefusal) => PublicProblem,
): TokenRelays {
  return tokenRelays({ folders: socketFolders(sandbox), describe });
}

/** Each socket lies in a folder like an agent's home, which a start after a crash removes. */
function socketFolders({ homesFolder }: Config["sandbox"]) {
  return { make: () => makeHome(homesFolder), remove: removeHome };
}
