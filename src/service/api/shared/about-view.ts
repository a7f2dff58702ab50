// The subject of a run as the contract shows it, with addresses where the code host's are known. Pure.

import { isCiProvider } from "../../../contract/ci/providers.ts";
import type { RunAbout, SubjectType } from "../../../contract/runs/about.ts";
import type { JobIdentity } from "../../core/ci-jobs/job-identity.ts";
import type { RunRecord, ShownAbout } from "../../core/runs/run-record.ts";

/** Paths below a repository's page. */
type Paths = {
  readonly commit: string;
  /** Before the id of a job's run, as tokens name it. Absent where its page has another address. */
  readonly job?: string;
  readonly subjects: Partial<Readonly<Record<SubjectType, string>>>;
};

const pathsOf: Readonly<Record<string, Paths>> = {
  github: {
    commit: "commit",
    job: "actions/runs",
    subjects: { issue: "issues", pull_request: "pull", discussion: "discussions" },
  },
  gitlab: {
    commit: "-/commit",
    job: "-/pipelines",
    subjects: { issue: "-/issues", pull_request: "-/merge_requests" },
  },
  bitbucket: { commit: "commits", subjects: { pull_request: "pull-requests" } },
};

/** Undefined where nothing is known of it, as of runs of earlier versions. */
export function toAbout({ request, about }: Pick<RunRecord, "request" | "about">): RunAbout | undefined {
  if (about === null) return undefined;
  const { actor, personId, event, repository, ref, sha, subject } = about;
  const paths = pathsAt(about);
  const page = repositoryPage(about);
  const below = (path: string | undefined, end: string | number) =>
    page === null || path === undefined ? undefined : `${page}/${path}/${end}`;
  return without({
    request: request ?? undefined,
    actor,
    person_id: personId,
    event,
    repository,
    repository_url: page ?? undefined,
    ref,
    commit: sha,
    commit_url: sha === undefined ? undefined : below(paths?.commit, sha),
    subject:
      subject === undefined
        ? undefined
        : without({ ...subject, url: below(paths?.subjects[subject.type], subject.number) }),
  });
}

/** The page from which the job's run can be started again. Null where its address is not known. */
export function jobPage({ provider, cloneUrl, runId }: JobIdentity): string | null {
  const page = repositoryPage({ provider, cloneUrl });
  const path = pathsAt({ provider })?.job;
  return page === null || path === undefined ? null : `${page}/${path}/${encodeURIComponent(runId)}`;
}

function pathsAt({ provider = "" }: ShownAbout): Paths | undefined {
  return isCiProvider(provider) ? pathsOf[provider] : undefined;
}

/** The page of the repository. Null: the code host's addresses are not known, or the one to clone from is not of the web, or has credentials. */
export function repositoryPage(about: ShownAbout): string | null {
  const url = URL.parse(about.cloneUrl ?? "");
  if (pathsAt(about) === undefined || url === null || !/^https?:$/.test(url.protocol)) return null;
  return url.username === "" && url.password === "" ? url.origin + url.pathname.replace(/\.git$/, "") : null;
}

/** The same object without the fields that are undefined. */
function without<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}
