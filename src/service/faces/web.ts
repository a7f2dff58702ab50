// The pages: a bundle of its own, loaded at the first request of one.

import type { Hono } from "hono";
import * as z from "zod/mini";
import english from "zod/v4/locales/en.js";
import type { FaceEnv, FaceParts } from "../api/http/face.ts";
import { webApp } from "../api/web/web-app.ts";

export function openWeb(parts: FaceParts): Hono<FaceEnv> {
  z.config(english());
  return webApp(parts);
}
