export class Waiters {
  readonly #waiting = new Set<() => void>();

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Waiters are removed after their time, since the event may never come. */
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
