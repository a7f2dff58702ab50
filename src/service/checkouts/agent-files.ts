// Which files of a repository configure an agent that works in it: instructions, hooks, tools, servers. Pure.
// By the documentation of Claude Code, opencode, Gemini CLI, Codex and Cursor, and the list that claude-code-action restores
// from the base (`SENSITIVE_PATHS`, of 2026-08-22); looked up on 2026-11-22.

/** In any folder: agents read those of the folders that they enter, too. */
const names = new Set([
  // Instructions
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  "GEMINI.md",
  ".cursorrules",
  // Hooks, permissions, plugins, commands, skills
  ".claude",
  ".claude.json",
  ".claude-plugin",
  ".opencode",
  "opencode.json",
  "opencode.jsonc",
  ".gemini",
  ".codex",
  ".cursor",
  ".agents",
  ".husky",
  // MCP servers
  ".mcp.json",
  // Options of the search tool that agents bring along
  ".ripgreprc",
]);

/** Text that a maintainer's version of can take the place of: it names no program that the tree could replace. */
const instructions = new Set(["AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "GEMINI.md"]);

/** The file or folder to which such a path belongs: `a/.claude` for `a/.claude/hooks/x.sh`. Null for any other. */
export function agentFileOf(path: string): string | null {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => names.has(segment));
  return at < 0 ? null : segments.slice(0, at + 1).join("/");
}

export function isInstructionFile(path: string): boolean {
  return instructions.has(path.slice(path.lastIndexOf("/") + 1)) && agentFileOf(path) === path;
}
