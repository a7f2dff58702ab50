// Findings of earlier reviews, and what became of each: open, declined by a person, fixed or withdrawn. What cannot be told counts
// as open.
// Why: docs/decisions/099-a-finding-stays-open.md, docs/decisions/149-reviews-remember.md

import type { OpenFinding } from "../../report/findings.ts";
import { CodeHostError } from "../code-host/code-host-error.ts";
import { declines } from "./declining-reply.ts";
import type { FileHistory } from "./file-history.ts";
import { addsLines, linesOf, placeNow } from "./line-places.ts";
import { closingMarker, findingId } from "./marker.ts";
import type { Published, PublishedFinding, ThreadReply } from "./published.ts";
import { isReviewed, type ReviewedPaths } from "./reviewed-paths.ts";
import type { ReviewsReader, ReviewThread } from "./reviews-host.ts";

export type StandingFinding = {
  readonly finding: PublishedFinding;
  readonly id: string;
  readonly state: "open" | "declined" | "fixed" | "withdrawn";
  /** Whether its lines have changed, or are gone. */
  readonly hasChanged: boolean;
  /** At the head; as it was where its lines have changed. */
  readonly now: OpenFinding;
  /** Null without one, and where the threads could not be read. */
  readonly thread: ReviewThread | null;
};

export type StandingOptions = {
  readonly host: ReviewsReader;
  readonly number: number;
  /** The commit that is reviewed now. */
  readonly headSha: string;
  readonly files: FileHistory;
  /** Findings in other files are another review's. */
  readonly reviewed: ReviewedPaths;
  readonly onNote: (note: string) => void;
};

/** Rejects only with the signal's reason. Safe to repeat. */
export async function readStanding(
  earlier: Published,
  options: StandingOptions,
): Promise<readonly StandingFinding[]> {
  const findings = earlier.findings.filter(({ path }) => isReviewed(path, options.reviewed));
  const settling = new Settling(earlier, { ...options, known: await readKnown(findings, options) });
  const standing: StandingFinding[] = [];
  for (const finding of findings) standing.push(await settling.settle(finding));
  return standing;
}

type Known = {
  readonly threads: ReadonlyMap<string, ReviewThread>;
  readonly hidden: ReadonlySet<string>;
};

class Settling {
  readonly #earlier: Published;
  readonly #options: StandingOptions & { readonly known: Known };

  constructor(earlier: Published, options: StandingOptions & { readonly known: Known }) {
    this.#earlier = earlier;
    this.#options = options;
  }

  async settle(finding: PublishedFinding): Promise<StandingFinding> {
    const { headSha, files, known } = this.#options;
    const { path, startLine, line, severity, title, url } = finding;
    const asItWas = { path, startLine, line, severity, title, url };
    const now = finding.sha === headSha ? asItWas : await whereNow(finding, asItWas, files);
    const thread = known.threads.get(url) ?? null;
    const found = { finding, id: findingId(finding), hasChanged: now === null, now: now ?? asItWas, thread };
    return { ...found, state: await this.#stateOf(found).catch((cause: unknown) => this.#tell(cause)) };
  }

  async #stateOf(found: Omit<StandingFinding, "state">): Promise<StandingFinding["state"]> {
    const { finding, hasChanged, thread } = found;
    if (await this.#isDeclined(finding)) return "declined";
    const wasResolved = await this.#isResolvedByWriter(finding, thread);
    if (wasResolved) return hasChanged ? "fixed" : "declined";
    const closed = this.#closingOf(finding);
    if (closed === null) return hasChanged ? "fixed" : "open";
    const hasAnswer = this.#earlier.markers.has(closingMarker("answered", finding));
    // We had resolved it, and somebody has opened it again.
    return finding.hasThread && !hasAnswer && thread?.isResolved !== true ? "open" : closed;
  }

  #closingOf(finding: PublishedFinding): "fixed" | "withdrawn" | null {
    const { markers } = this.#earlier;
    if (markers.has(closingMarker("withdrawn", finding))) return "withdrawn";
    return markers.has(closingMarker("fixed", finding)) ? "fixed" : null;
  }

  async #isDeclined({ replies }: PublishedFinding): Promise<boolean> {
    for (const { login, accountId, isBot, body } of replies) {
      if (login === null || isBot || !declines(body)) continue;
      if (await this.#options.host.hasWriteAccess({ login, databaseId: accountId })) return true;
    }
    return false;
  }

  async #isResolvedByWriter(finding: PublishedFinding, thread: ReviewThread | null): Promise<boolean> {
    if (!finding.hasThread) return this.#options.known.hidden.has(finding.url);
    if (thread === null || !thread.isResolved || thread.resolvedBy === null) return false;
    return await this.#options.host.hasWriteAccess(thread.resolvedBy);
  }

  #tell(cause: unknown): "open" {
    tellUnread(cause, this.#options);
    return "open";
  }
}

/** What people with write access said, for one who reads it: a reply that declines is theirs alone. */
export async function hasWriteAccess(
  host: ReviewsReader,
  { login, accountId, isBot }: ThreadReply,
): Promise<boolean> {
  if (login === null || isBot) return false;
  return await host.hasWriteAccess({ login, databaseId: accountId }).catch((cause: unknown) => {
    if (cause instanceof CodeHostError) return false;
    throw cause;
  });
}

/** Null where its lines have changed, or are gone. */
async function whereNow(
  finding: PublishedFinding,
  asItWas: OpenFinding,
  files: FileHistory,
): Promise<OpenFinding | null> {
  const { path, startLine, line, sha } = finding;
  const versions = await files.versions(path, sha);
  if (versions === null) return asItWas;
  const { before, after } = versions;
  const place = after === null ? null : placeNow({ before, after }, finding);
  if (place !== null) return { ...asItWas, path: versions.path, startLine: place.first, line: place.last };
  const text = linesOf(before).slice(startLine - 1, line);
  const changes = await files.compare(sha);
  const hasMoved = changes?.patches.some(({ patch }) => addsLines(patch, text)) ?? false;
  return hasMoved ? asItWas : null;
}

/** Threads, and reviews that are hidden. Asks only where there are findings in them. */
async function readKnown(findings: readonly PublishedFinding[], options: StandingOptions): Promise<Known> {
  const { host, number } = options;
  const unless =
    <Nothing>(nothing: Nothing) =>
    (cause: unknown) => {
      tellUnread(cause, options);
      return nothing;
    };
  const hasThreads = findings.some(({ hasThread }) => hasThread);
  const hasTexts = findings.some(({ hasThread }) => !hasThread);
  return {
    threads: hasThreads ? await host.readThreads(number).catch(unless(new Map())) : new Map(),
    hidden: hasTexts ? await host.readHiddenReviews(number).catch(unless(new Set<string>())) : new Set(),
  };
}

function tellUnread(cause: unknown, { onNote }: Pick<StandingOptions, "onNote">): void {
  if (!(cause instanceof CodeHostError)) throw cause;
  onNote(
    `It could not be read which findings people have resolved: those at unchanged lines count as open. ${cause.message}`,
  );
}
