// Templates of clone addresses, as operators write them for each issuer. Pure.

export const REPOSITORY_PLACEHOLDER = "{repository}";
/** Where a pipeline need not be named as its repository is, nor its organization as the owner. */
export const PIPELINE_PLACEHOLDER = "{pipeline}";

/** The address of one repository. */
export function fillCloneUrl(template: string, names: { repository: string; pipeline?: string }): string {
  const { repository, pipeline = "" } = names;
  return template
    .replace(REPOSITORY_PLACEHOLDER, () => repository)
    .replace(PIPELINE_PLACEHOLDER, () => pipeline);
}
