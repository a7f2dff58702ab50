// Drawing of a run's changes: the script of a run's page loads it once there are some.

export { changesSection } from "../render/run-page/changes-section.ts";
