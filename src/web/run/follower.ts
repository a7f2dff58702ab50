// Keeps the newest entry in view, until the reader scrolls up; then says that there is more.

/** Nearer to the end than this, the reader is at the end. */
const END_PX = 60;

export class Follower {
  readonly #jump: HTMLButtonElement;
  #isFollowing: boolean;
  #top = 0;
  readonly onChange: (isFollowing: boolean) => void;

  constructor(options: { isFollowing: boolean; onChange: (isFollowing: boolean) => void }) {
    this.#isFollowing = options.isFollowing;
    this.onChange = options.onChange;
    this.#jump = document.createElement("button");
    this.#jump.className = "jump";
    this.#jump.hidden = true;
    this.#jump.textContent = "Jump to newest";
    this.#jump.addEventListener("click", () => this.set(true));
    document.getElementById("run")?.append(this.#jump);
    window.addEventListener("scroll", () => this.#onScroll(), { passive: true });
  }

  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  set(isFollowing: boolean): void {
    if (isFollowing) {
      this.#jump.hidden = true;
      this.#toEnd();
    }
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.onChange(isFollowing);
  }

  /** Something was drawn. */
  onNew(): void {
    if (this.#isFollowing) this.#toEnd();
    else if (!this.#isAtEnd()) this.#jump.hidden = false;
  }

  #onScroll(): void {
    const isUpwards = window.scrollY < this.#top - 2;
    this.#top = window.scrollY;
    if (isUpwards && !this.#isAtEnd()) this.set(false);
    else if (this.#isAtEnd()) this.#jump.hidden = true;
  }

  #isAtEnd(): boolean {
    return this.#endPx() - window.innerHeight < END_PX;
  }

  /** The distance of the list's end from the top of the window. */
  #endPx(): number {
    return document.getElementById("entries")?.getBoundingClientRect().bottom ?? 0;
  }

  #toEnd(): void {
    const belowPx = this.#endPx() - window.innerHeight + END_PX / 2;
    // At once: a smooth scroll would never arrive while more comes in.
    if (belowPx > 0) window.scrollBy({ top: belowPx, behavior: "instant" });
    this.#top = window.scrollY;
  }
}
