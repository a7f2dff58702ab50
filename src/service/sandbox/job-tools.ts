// The tools of the job around an embedded service, as its commands see them: folders of PATH, the tool cache, and downloads of
// package managers. Everything is read-only, nothing that the checkout can write is among it, and no credentials are.
// Why: docs/decisions/048-the-jobs-tools-are-visible.md

import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { secretPathVariables } from "../../contract/paths/known-paths.ts";
import { cacheVariables, type HomeCache, homeCaches } from "./home-caches.ts";
import { isInside } from "./sandbox-config.ts";
import { secretHomePlaces } from "./secret-places.ts";
import { folderLists, isToolchainFolder, isToolchainWord } from "./toolchain-variables.ts";

/** Shown entries of folders with `*`. */
const MAX_ENTRIES = 500;
/** Too wide to be one tool, or the machine's own. */
const wide: ReadonlySet<string> = new Set([
  "/",
  "/home",
  "/root",
  "/tmp",
  "/var",
  "/var/lib",
  "/usr",
  "/usr/local",
  "/opt",
  "/srv",
  "/mnt",
  "/media",
]);
const neverShown = ["/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/var/run", "/var/tmp", "/var/log"];
/** Beside a folder of programs: what they load. */
const besidePrograms = ["lib", "lib64", "libexec"];
const TOOL_CACHES = ["RUNNER_TOOL_CACHE", "AGENT_TOOLSDIRECTORY"] as const;
export const HOSTED_TOOL_CACHE = "/opt/hostedtoolcache";

type JobAround = {
  /** The job's checkout. */
  readonly checkout: string;
  /** Folders of the service itself. */
  readonly own: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** A folder or file of this machine, and where commands find it. */
export type Shown = {
  readonly source: string;
  readonly target: string;
  /** Whether it holds packages as they were published, and no settings of this machine. */
  readonly isPublished: boolean;
};

export type JobTools = {
  /** The job's home: commands have an empty one in its place. Null where it is none that could be. */
  readonly home: string | null;
  /** The checkout's path, which it has for commands too: programs that were installed in it name it. Null where it cannot. */
  readonly tree: string | null;
  /** Parents before what lies in them. */
  readonly shown: readonly Shown[];
  /** Not to be seen where they lie in something that is. */
  readonly hidden: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
};

/** `machine` and `named` are the folders that commands see anyway: the machine's tools, and what the operator shows. */
export async function findJobTools(
  around: JobAround,
  { machine, named: given }: { readonly machine: readonly string[]; readonly named: readonly string[] },
): Promise<JobTools> {
  const visible = [...machine, ...given];
  const { environment } = around;
  const checkout = await realOf(around.checkout);
  const realHome = environment.HOME === undefined ? null : await realOf(environment.HOME);
  const secrets = await secretPlaces(environment, realHome);
  const guard: Guard = { checkout, home: realHome, own: await Promise.all(around.own.map(realOf)), secrets };
  const isHome = realHome !== null && isPossibleHome(realHome, { checkout, machine });
  const home = isHome ? realHome : null;

  const found: Shown[] = [];
  for (const path of toolFolders(environment)) {
    for (const folder of [path, ...(await companions(path, realHome))])
      found.push(...(await placesOf(folder, guard)));
  }
  if (home !== null) {
    for (const cache of homeCaches) found.push(...(await placesOfCache(cache, { guard, home, environment })));
  }
  const shown = withoutRepeated(found, visible);
  const hidden = [...secrets, ...guard.own, ...(home === null && realHome !== null ? [realHome] : [])];
  const named = await variablesOf(environment, { shown, visible, guard });
  return {
    home,
    tree: wide.has(checkout) || neverShown.some((place) => isInside(checkout, place)) ? null : checkout,
    shown,
    hidden: hidden.filter((path) => !wide.has(path)),
    environment: { ...named, ...(home === null ? {} : variablesOfCaches(home, shown)) },
  };
}

type Guard = {
  readonly checkout: string;
  readonly home: string | null;
  readonly own: readonly string[];
  readonly secrets: readonly string[];
};

/** Whether a folder, links resolved, can be shown. Credentials in it are covered. */
function isShowable(real: string, { checkout, home, own, secrets }: Guard): boolean {
  if (wide.has(real) || neverShown.some((place) => isInside(real, place))) return false;
  if (home !== null && isInside(home, real)) return false;
  if (secrets.some((place) => isInside(real, place))) return false;
  return ![checkout, ...own].some((place) => isInside(real, place) || isInside(place, real));
}

/** Whether a path is the checkout's: what the job can change there is no tool, also where a link in the checkout leads elsewhere. */
export function isOfCheckout(path: string, checkouts: readonly string[]): boolean {
  return checkouts.some((checkout) => isInside(path, checkout));
}

function isPossibleHome(
  home: string,
  { checkout, machine }: { readonly checkout: string; readonly machine: readonly string[] },
): boolean {
  if (["/", "/home", "/tmp", "/var", "/usr", "/opt", "/srv", "/mnt"].includes(home)) return false;
  if (isInside(home, checkout) || neverShown.some((place) => isInside(home, place))) return false;
  return !machine.some((folder) => isInside(home, folder) || isInside(folder, home));
}

function toolFolders(environment: JobAround["environment"]): readonly string[] {
  const caches = [...TOOL_CACHES.map((name) => environment[name] ?? ""), HOSTED_TOOL_CACHE];
  const roots = Object.entries(environment).flatMap(([name, value]) =>
    isToolchainFolder(name) ? [value ?? ""] : [],
  );
  const lists = ["PATH", ...folderLists].flatMap((name) => (environment[name] ?? "").split(":"));
  return [...new Set([...caches, ...roots, ...lists])].filter((path) => path.startsWith("/"));
}

/** Files that programs of a folder load from beside it. */
async function companions(path: string, home: string | null): Promise<readonly string[]> {
  const real = await realOf(path);
  const parent = dirname(real);
  // `node_modules/.bin` is made of links to the packages beside it.
  if (basename(real) === ".bin" && basename(parent) === "node_modules") return [parent];
  if (basename(real) !== "bin" || parent === home || wide.has(parent)) return [];
  return [...besidePrograms, "pyvenv.cfg"].map((name) => join(parent, name));
}

/** At its own path, and at the one by which the job names it. */
async function placesOf(path: string, guard: Guard): Promise<readonly Shown[]> {
  const spelled = normalize(path).replace(/(.)\/$/, "$1");
  const real = await realpath(spelled).catch(() => null);
  if (real === null || !isShowable(real, guard) || isOfCheckout(spelled, [guard.checkout])) return [];
  const parent = await realOf(dirname(spelled));
  const named = join(parent, basename(spelled));
  const isNamedShowable = named !== real && isShowable(named, guard);
  const place = { source: real, target: real, isPublished: basename(real) === "node_modules" };
  return [place, ...(isNamedShowable ? [{ ...place, target: named }] : [])];
}

async function placesOfCache(
  { folder, variable, shown, at, isPublished = false }: HomeCache,
  {
    guard,
    home,
    environment,
  }: { readonly guard: Guard; readonly home: string } & Pick<JobAround, "environment">,
): Promise<readonly Shown[]> {
  const moved =
    variable === undefined ? undefined : (environment[variable] ?? environment[variable.toUpperCase()]);
  const root = moved?.startsWith("/") === true ? moved : join(home, folder);
  const places: Shown[] = [];
  for (const pattern of shown) {
    for (const name of await matching(root, pattern)) {
      const source = await realpath(join(root, name)).catch(() => null);
      if (source === null || !isShowable(source, guard)) continue;
      // What a variable or a link leads to may be any folder.
      const isOwnPlace = source === join(home, folder, name);
      places.push({
        source,
        target: join(home, at ?? folder, name),
        isPublished: isPublished && isOwnPlace,
      });
    }
  }
  return places;
}

/** Names below `root` that match: `*` stands for any part of one name. */
async function matching(root: string, pattern: string): Promise<readonly string[]> {
  let names: readonly string[] = [""];
  for (const part of pattern.split("/")) {
    if (!part.includes("*")) {
      names = names.map((name) => join(name, part));
      continue;
    }
    const [before = "", after = ""] = part.split("*", 2);
    const next: string[] = [];
    for (const name of names) {
      for (const entry of await readdir(join(root, name)).catch(() => []))
        if (entry.startsWith(before) && entry.endsWith(after)) next.push(join(name, entry));
    }
    names = next.slice(0, MAX_ENTRIES);
  }
  return names;
}

/** Nothing twice, and nothing that lies in what is visible already: a folder cannot be made in one that is read-only. */
function withoutRepeated(found: readonly Shown[], visible: readonly string[]): readonly Shown[] {
  const kept: Shown[] = [];
  const sorted = [...found].sort(
    (one, other) => one.target.split("/").length - other.target.split("/").length,
  );
  for (const place of sorted) {
    const isCovered = [...visible, ...kept.map(({ target }) => target)].some((folder) =>
      isInside(place.target, folder),
    );
    if (!isCovered) kept.push(place);
  }
  return kept;
}

async function variablesOf(
  environment: JobAround["environment"],
  {
    shown,
    visible,
    guard,
  }: { readonly shown: readonly Shown[]; readonly visible: readonly string[]; readonly guard: Guard },
): Promise<Record<string, string>> {
  const isThere = async (path: string) => {
    const real = await realOf(path);
    if (isOfCheckout(path, [guard.checkout]) || isInside(real, guard.checkout)) return false;
    const folders = [...visible, ...shown.map(({ target }) => target)];
    return folders.some((folder) => isInside(normalize(path), folder));
  };
  const kept: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(environment)) {
    if (isToolchainWord(name, value)) kept[name] = value;
    else if (isToolchainFolder(name) && value.startsWith("/") && (await isThere(value))) kept[name] = value;
  }
  for (const name of folderLists) {
    const folders: string[] = [];
    for (const folder of (environment[name] ?? "").split(":"))
      if (folder.startsWith("/") && (await isThere(folder))) folders.push(folder);
    if (folders.length > 0) kept[name] = folders.join(":");
  }
  return kept;
}

function variablesOfCaches(home: string, shown: readonly Shown[]): Record<string, string> {
  const entries = Object.entries(cacheVariables)
    .map(([folder, name]): [string, string] => [name, join(home, folder)])
    .filter(([, folder]) => shown.some(({ target }) => isInside(target, folder)));
  return Object.fromEntries(entries);
}

/** Places of credentials, links resolved; what does not exist is named as it would be. */
async function secretPlaces(
  environment: JobAround["environment"],
  home: string | null,
): Promise<readonly string[]> {
  const below = home === null ? [] : secretHomePlaces.map((place) => join(home, place));
  const named = secretPathVariables.flatMap((name) => {
    const value = environment[name] ?? "";
    return value.startsWith("/") ? [value] : [];
  });
  const moved = [
    ...["credentials", "credentials.toml"].map((name) => join(environment.CARGO_HOME ?? "", name)),
    join(environment.GRADLE_USER_HOME ?? "", "gradle.properties"),
  ].filter((path) => path.startsWith("/"));
  const runner = runnerFolders(environment);
  const places = [...below, ...named, ...moved, ...runner];
  const real = await Promise.all(places.map(realOf));
  // A whole machine is no credential, whatever a variable says.
  return [...new Set([...places, ...real])].filter((place) => !wide.has(place));
}

/** The runner's own: the event, files for later steps, and on a machine of your own its registration. */
function runnerFolders(environment: JobAround["environment"]): readonly string[] {
  const temp = normalize(environment.RUNNER_TEMP ?? "").replace(/(.)\/$/, "$1");
  if (!temp.startsWith("/")) return [];
  const runner = dirname(dirname(temp));
  return [temp, ...[".credentials", ".credentials_rsaparams"].map((name) => join(runner, name))];
}

async function realOf(path: string): Promise<string> {
  const absolute = resolve(path);
  const real = await realpath(absolute).catch(() => null);
  if (real !== null || absolute === dirname(absolute)) return real ?? absolute;
  return join(await realOf(dirname(absolute)), basename(absolute));
}
