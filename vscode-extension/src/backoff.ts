// How often a crashing server is started again.

/** Delays before the first, second, … restart within one window of time. */
const DELAYS_MS: readonly number[] = [500, 2_000, 8_000];
const WINDOW_MS = 180_000;

/** Remembers crashes; each one in the window makes the next restart later, until there is none. */
export class RestartPolicy {
  private crashes: number[] = [];

  /** Delay until the restart after a crash at `now`, or undefined to give up. */
  afterCrash(now: number): number | undefined {
    this.crashes = this.crashes.filter((time) => now - time < WINDOW_MS);
    const delay = DELAYS_MS[this.crashes.length];
    this.crashes.push(now);
    return delay;
  }

  /** How many crashes count at the moment. */
  get count(): number {
    return this.crashes.length;
  }

  /** The user asked for a restart: start counting afresh. */
  reset(): void {
    this.crashes = [];
  }
}
