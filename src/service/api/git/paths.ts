// The paths of a workspace as a repository of git, by which it is loaded at its first request.

/** The part of the path that names the workspace ends in ".git". */
export const REPOSITORY_PATH = "/v1/workspaces/:repository{[^/]+\\.git}";

export const gitFacePaths = [`${REPOSITORY_PATH}/*`] as const;
