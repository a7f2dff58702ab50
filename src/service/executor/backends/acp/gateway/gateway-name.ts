// The name of the gateway in a session of an agent, and the names of its tools there. Pure.

/** Short: agents put it in front of the names of its tools, and models take 64 characters. */
export const GATEWAY_NAME = "run";

/** What is left of those 64 once an agent has put its own in front: "mcp__run__" is the longest of those that are known. */
export const MAX_GATEWAY_TOOL_CHARS = 54;
