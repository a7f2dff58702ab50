// The script of a run's page: goes on with a run in flight, and gives readers of any run keys and buttons.

import type { RunTone } from "../../render/run-page/run-heading.ts";
import { Follower } from "./follower.ts";
import { LiveRun } from "./live-run.ts";
import { markCounterparts } from "./marks.ts";
import { showState } from "./state-icon.ts";
import { openNamed, setUpTools } from "./tools.ts";

const root = document.getElementById("run");
if (root !== null) {
  const isLive = root.dataset.run !== undefined;
  let showFollowing = (_isFollowing: boolean): void => {};
  const follower = new Follower({
    isFollowing: isLive && location.hash === "",
    onChange: (isFollowing) => showFollowing(isFollowing),
  });
  showFollowing = setUpTools({ follower, isLive }).showFollowing;
  showState(toneOf(root.dataset.tone));
  window.addEventListener("hashchange", openNamed);
  openNamed();
  markCounterparts();
  LiveRun.of(root, follower)?.start();
}

function toneOf(tone: string | undefined): RunTone {
  return tone === "live" || tone === "good" || tone === "warn" ? tone : "bad";
}
