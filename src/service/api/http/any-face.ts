// A part of the API that is loaded at its first request: an application of its own, or routes of the table.

import type { Face } from "./face.ts";
import type { RouteFace } from "./route-face.ts";

export type AnyFace = Face | RouteFace;
