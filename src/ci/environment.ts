// The environment of this process: the one place of the Action and the command that reads it.

import type { Environment } from "../base/environment.ts";

export const jobEnvironment: Environment = process.env;
