// Text of an agent without commands to Jira: a commit message, which a pull request's title and description can become, acts where a line names
// an issue and a command, "DEV-7 #close". https://support.atlassian.com/jira-software-cloud/docs/process-issues-with-smart-commits (2026-11-29). Pure.

const ISSUE = /\b[A-Z][A-Z\d_]{1,20}-\d+\b/;
const COMMAND = /(^|[^\w&])#(?=[a-z])/gi;

export function withoutSmartCommits(text: string): string {
  return text
    .split("\n")
    .map((line) => (ISSUE.test(line) ? line.replace(COMMAND, "$1") : line))
    .join("\n");
}
