// Runs before each test file: commands that a test starts without a directory of their own start in a folder of the
// run's, not in the checkout of this project.

import { inject } from "vitest";

process.chdir(inject("workingFolder"));
