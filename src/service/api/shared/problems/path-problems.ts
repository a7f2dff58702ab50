// What a caller is told of a path in a workspace. Pure.

import type { PathRefusal, PathRule } from "../../../core/workspaces/paths/workspace-path.ts";
import type { ProblemsOf } from "./public-problem.ts";

const rules: Readonly<Record<PathRule, string>> = {
  empty: "is empty",
  not_unicode: "holds half of a surrogate pair",
  too_long: "is longer than 4,096 bytes",
  nul: "holds a NUL character",
  absolute: "begins with a slash: paths are relative to the workspace",
  empty_segment: "has an empty part between two slashes",
  dot_segment: 'has "." or ".." as a part',
  segment_too_long: "has a part that is longer than 255 bytes",
  git_folder: "has a part that git keeps for itself, in whichever spelling",
  submodules_link: 'is a symbolic link named ".gitmodules"',
};

export const pathProblems: ProblemsOf<PathRefusal> = {
  path_invalid: ({ rule, path }) => ({
    status: 400,
    code: "path_invalid",
    message: `The path ${JSON.stringify(path.slice(0, 200))} ${rules[rule]}.`,
  }),
};
