// The flags of `agent-service run` for what its job writes on the code host: a comment, the changes, a review.

import { oneOf } from "../base/settings/kinds.ts";
import { branchPrefix, pathPatterns } from "../job/job-settings.ts";
import { severities } from "../report/findings.ts";
import { switchFlag, valueFlag } from "./flags.ts";

const changesModes = ["patch", "commit", "pull-request"] as const;
const findingsModes = ["none", "review"] as const;

export const writeBackFlags = {
  comment: switchFlag(
    "On GitLab and Bitbucket: write one comment on the job's merge request or pull request, and keep it up to date while the run goes on. Needs a token in AGENT_SERVICE_GITLAB_TOKEN or AGENT_SERVICE_BITBUCKET_TOKEN, as all that follow.",
  ),
  changes: valueFlag({
    kind: oneOf(changesModes),
    fallback: "patch",
    takes: "<how>",
    description:
      "What happens with what the run changed: patch (a file), or on GitLab and Bitbucket commit (pushed to the branch) or pull-request (a merge request or pull request).",
  }),
  "branch-prefix": valueFlag({
    kind: branchPrefix,
    fallback: "agent/",
    takes: "<prefix>",
    description: "With --changes pull-request: how the names of branches begin.",
  }),
  findings: valueFlag({
    kind: oneOf(findingsModes),
    fallback: "none",
    takes: "<how>",
    description:
      "On GitLab and Bitbucket: review, the reply is a review, and its findings become threads at the lines of the merge request or pull request.",
  }),
  "commit-status": switchFlag(
    "With --findings review: also set a status of the commit, which holds up a merge where the code host asks for it.",
  ),
  "fail-on-severity": valueFlag({
    kind: oneOf(["none", ...severities]),
    fallback: "none",
    takes: "<severity>",
    description:
      "With --findings review: the least severe finding that fails the job, none, notice, warning or error. Open findings of earlier reviews count.",
  }),
  paths: valueFlag({
    kind: pathPatterns,
    fallback: null,
    takes: "<patterns>",
    description: 'With --findings review: the files that it is about, such as "src/**,*.md".',
    shownDefault: "every file",
  }),
  "ignore-paths": valueFlag({
    kind: pathPatterns,
    fallback: null,
    takes: "<patterns>",
    description: "With --findings review: files that it leaves out. They win over --paths.",
  }),
};
