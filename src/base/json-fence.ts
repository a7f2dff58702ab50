// Takes a JSON reply out of the Markdown fence that models often put around it. Pure.

const FENCE = "```";

/** The text inside a single fence without a language or with "json"; the trimmed text where there is none. Linear. */
export function withoutJsonFence(reply: string): string {
  const text = reply.trim();
  const lineEnd = text.indexOf("\n");
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || lineEnd < 0) return text;
  if (text.length - FENCE.length <= lineEnd) return text;
  const language = text.slice(FENCE.length, lineEnd).trim().toLowerCase();
  return language === "" || language === "json" ? text.slice(lineEnd + 1, -FENCE.length).trim() : text;
}
