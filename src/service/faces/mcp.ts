// The MCP endpoint: a bundle of its own, loaded at its first request.

import type { Hono } from "hono";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import type { FaceEnv, FaceParts } from "../api/http/face.ts";
import { mcpApp } from "../api/mcp/endpoint.ts";

export function openMcp(parts: FaceParts): Hono<FaceEnv> {
  z.config(english());
  return mcpApp(parts);
}
