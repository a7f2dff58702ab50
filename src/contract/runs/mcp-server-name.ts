// Names of MCP servers, and how many of them a run has. Pure.

export const MAX_MCP_SERVERS = 10;

/** It becomes a part of the names of its tools. */
export const mcpServerNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
export const MCP_SERVER_NAME_FORM =
  'a name of at most 32 letters, digits, "-" and "_", with a letter or a digit first';
