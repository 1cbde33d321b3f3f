/** Those who wait for something to move, each for so long at most. */
export class Waiters {
  readonly #waiting = new Set<() => void>();

  /** It has moved: all of them go on. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when it has moved, or after so long; who has waited long enough is forgotten, since it may never move. */
  within(ms: number): Promise<void> {
    return new Promise((done) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        done();
      };
      const timer = setTimeout(wake, ms);
      this.#waiting.add(wake);
    });
  }
}
